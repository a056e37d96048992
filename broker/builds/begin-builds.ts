import { problem } from "../../shared/problem.ts";
import { findConfig } from "../app-configs/queries.ts";
import { storedDocument } from "../app-configs/stored-document.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { listPartConfigs, type PartConfigRow } from "../named-parts/list-part-configs.ts";
import { requireNamed } from "../named-parts/show-named-parts.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { laneFull } from "../workflows/lane-refusals.ts";
import { type Asker, type Beginning, type BuildHow, draftBuilds } from "./draft-builds.ts";

type Begun = { readonly workflowId: string; readonly builds: readonly string[] };
const everyPart = { after: undefined, limit: 1000, offset: 0 };

const asConfigured: BuildHow = { gitRef: "", isForced: false };

/** Builds one component by the app's active config; answers the build's id. */
export async function buildComponent(
  db: Db,
  actor: Asker,
  { app, id, how }: { readonly app: string; readonly id: string; readonly how: BuildHow },
): Promise<string> {
  const configId = await requireActiveConfig(db, actor.orgId, app);
  await requireNamed(db, actor.orgId, { kind: "components", app, id });
  const page = { after: undefined, limit: 1, offset: 0 };
  const wanted = { kind: "components", part: id, config: configId } as const;
  const parts = await listPartConfigs(db, actor.orgId, { ...wanted, ...page });
  const [part] = parts;
  if (part === undefined) throw problem.notFound("component config");
  const metadata = { component_id: id, component_name: part.name };
  const begun = await beginBuilds(db, actor, { app, configId, parts, how, metadata });
  return begun.builds[0] ?? "";
}

/** Builds the sandbox of the app's active config; answers the build's id. */
export async function buildSandbox(
  db: Db,
  actor: Asker,
  { app, how }: { readonly app: string; readonly how: BuildHow },
): Promise<string> {
  const configId = await requireActiveConfig(db, actor.orgId, app);
  const { sandbox } = (await storedDocument(db, actor.orgId, configId)) ?? {};
  if (sandbox === undefined)
    throw problem.conflict("no_sandbox", "The app's active config has no sandbox.");
  const metadata = { component_name: "the sandbox" };
  const begun = await beginBuilds(db, actor, { app, configId, parts: [], sandbox, how, metadata });
  return begun.builds[0] ?? "";
}

/** Builds all components of the app's active config; answers the workflow's id, undefined where it has no components. */
export async function buildAllComponents(
  db: Db,
  actor: Asker,
  app: string,
): Promise<string | undefined> {
  const configId = await requireActiveConfig(db, actor.orgId, app);
  const parts = await listComponentParts(db, actor.orgId, configId);
  if (parts.length === 0) return undefined;
  const of = { app, configId, parts, how: asConfigured, metadata: {} };
  return (await beginBuilds(db, actor, of)).workflowId;
}

/** Builds all components and the sandbox of a config that is or was in force; answers the workflow's id. */
export async function buildConfig(
  db: Db,
  actor: Asker,
  { app, configId }: { readonly app: string; readonly configId: string },
): Promise<string> {
  await requireApp(db, actor.orgId, app);
  const config = await findConfig(db, actor.orgId, { app, id: configId });
  if (config === undefined) throw problem.notFound("app config");
  if (config.plan_only || (config.status !== "active" && config.status !== "outdated"))
    throw problem.conflict("config_not_active", `The config is ${config.status}: sync it first.`);
  const parts = await listComponentParts(db, actor.orgId, configId);
  const { sandbox } = (await storedDocument(db, actor.orgId, configId)) ?? {};
  if (parts.length === 0 && sandbox === undefined)
    throw problem.conflict(
      "no_components",
      "The config has neither components nor a sandbox: there is nothing to build.",
    );
  const of = { app, configId, parts, ...(sandbox && { sandbox }), how: asConfigured, metadata: {} };
  return (await beginBuilds(db, actor, of)).workflowId;
}

async function requireActiveConfig(db: Db, org: OrgId, app: string): Promise<string> {
  const { active_config_id: id } = await requireApp(db, org, app);
  if (id !== null) return id;
  throw problem.conflict("no_active_config", "The app has no active config. Sync one first.");
}

/** What a config says of components. */
export const listComponentParts = (db: Db, org: OrgId, config: string): Promise<PartConfigRow[]> =>
  listPartConfigs(db, org, { kind: "components", config, ...everyPart });

/** Files builds with the workflow that makes them; what the same request filed before is answered as it is. */
export async function beginBuilds(db: Db, asker: Asker, beginning: Beginning): Promise<Begun> {
  const { orgId, requestSeed } = asker;
  const workflowId = keyedId("wfl", requestSeed, beginning.app, "app_config_build");
  const made = requestSeed === undefined ? [] : await buildsOf(db, orgId, workflowId);
  if (made.length > 0) return { workflowId, builds: made };
  const config = await storedDocument(db, orgId, beginning.configId);
  const { workflow, builds } = draftBuilds(asker, { ...beginning, workflowId, config });
  const [row] = await db<{ outcome: string }[]>`
    select begin_builds(${orgId}, ${beginning.app}, ${JSON.stringify(workflow)}::text::jsonb, ${JSON.stringify(builds)}::text::jsonb) as outcome`;
  if (row?.outcome === "there")
    return { workflowId, builds: await buildsOf(db, orgId, workflowId) };
  if (row?.outcome !== "created") throw refusalOf(row?.outcome ?? "lost");
  return { workflowId, builds: builds.map(({ id }) => id) };
}

/** What the same request made before, where nobody heard of it. */
async function buildsOf(db: Db, org: OrgId, workflowId: string): Promise<string[]> {
  const rows = await db<{ id: string }[]>`
    select b.id from component_builds b where b.org_id = ${org} and b.workflow_id = ${workflowId} order by b.id`;
  return rows.map(({ id }) => id);
}

function refusalOf(outcome: string): Error {
  if (outcome === "not-found") return problem.notFound("app");
  if (outcome === "full") return laneFull();
  if (outcome === "no-lane")
    return problem.conflict(
      "lane_taken",
      "Another queue has the name of this app's lane, builds, with the app as its owner. Rename or delete that queue.",
    );
  return new Error(`begin_builds answered ${outcome}`);
}
