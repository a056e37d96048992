import { problem } from "../../shared/problem.ts";
import { findConfig } from "../app-configs/queries.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { Actor } from "../tokens/actor.ts";
import { draftWorkflow, type NewWorkflow } from "../workflows/draft-workflow.ts";
import { laneFull, laneGone } from "../workflows/lane-refusals.ts";
import { forgetInstall, requireInstall, workflowOpen } from "./keep-installs.ts";
import type { ShownRow } from "./to-install.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type WorkflowRequest = Pick<
  NewWorkflow,
  "type" | "role" | "planOnly" | "params" | "metadata" | "given" | "actionRun" | "installDeploy"
>;
type Begin = {
  readonly installId: string;
  readonly workflow: WorkflowRequest;
  /** No other change of the install may be open. */
  readonly isOnly?: boolean;
  readonly inputs?: object;
  /** It switches a component of the install on or off, and the install's config says so from now on. */
  readonly toggle?: { readonly component: string; readonly isOn: boolean };
};

type Asker = Pick<Actor, "id" | "orgId" | "requestSeed">;

/** Begins a workflow of an install; answers its id. 404 without the install, 409 while another change is open, 429 past its lane. */
export async function beginWorkflow(
  { db, seals }: Parts,
  actor: Asker,
  { installId, workflow, isOnly = false, inputs, toggle }: Begin,
): Promise<string> {
  const install = await requireInstall(db, actor.orgId, installId);
  const id = keyedId("wfl", actor.requestSeed, installId, workflow.type);
  const draft = draftWorkflow(seals, { ...workflow, ...placeOf(install, actor), id });
  const text = JSON.stringify(draft);
  const added = inputs === undefined ? null : JSON.stringify(inputs);
  const [row] = await db<{ outcome: string }[]>`
    select ${
      toggle
        ? db`begin_component_toggle(${actor.orgId}, ${installId}, ${text}::text::jsonb, ${toggle.component}, ${toggle.isOn})`
        : db`begin_workflow(${actor.orgId}, ${installId}, ${text}::text::jsonb, ${added}::text::jsonb, ${isOnly})`
    } as outcome`;
  if (row?.outcome !== "created") throw refusalOf(row?.outcome ?? "lost");
  return draft.id;
}

/** The workflow that the same request began before, where nobody heard of it. */
export async function findBegun(
  db: Db,
  { orgId, requestSeed }: Pick<Actor, "orgId" | "requestSeed">,
  { installId, type }: { readonly installId: string; readonly type: string },
): Promise<string | undefined> {
  if (requestSeed === undefined) return undefined;
  const [row] = await db<{ id: string }[]>`
    select w.id from workflows w
     where w.org_id = ${orgId} and w.id = ${keyedId("wfl", requestSeed, installId, type)}`;
  return row?.id;
}

/** What a workflow of the install is drafted with. */
export function placeOf(install: ShownRow, { id: actorId, orgId }: Pick<Actor, "id" | "orgId">) {
  return {
    orgId,
    actorId,
    installId: install.id,
    lanes: new Map(install.queues.map(({ id, name }) => [name, id])),
    approvalOption: install.approval_option,
  };
}

function refusalOf(outcome: string): Error {
  if (outcome === "not-found") return problem.notFound("install");
  if (outcome === "open") return workflowOpen();
  if (outcome === "full") return laneFull();
  if (outcome === "stale")
    return problem.conflict(
      "inputs_changed",
      "The inputs were changed in the meantime. Read them and try again.",
    );
  if (outcome === "no-lane") return laneGone();
  return new Error(`begin_workflow answered ${outcome}`);
}

type ProvisionRequest = {
  readonly id: string;
  readonly role: string;
  /** What would be done is made, and nothing is changed. */
  readonly planOnly: boolean;
};

/** Provisions an install that never was, or provisions it again, by the active config of its app. */
export async function reprovisionInstall(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId">,
  { id, role, planOnly }: ProvisionRequest,
): Promise<string> {
  const { orgId } = actor;
  const install = await requireInstall(parts.db, orgId, id);
  const { applied_config_id: applied } = install;
  const type = applied === null ? "provision" : "reprovision";
  return beginWorkflow(parts, actor, { installId: id, workflow: { type, role, planOnly } });
}

/** Deprovisions an install, and then deletes it if asked; 409 for one that never was provisioned. */
export async function deprovisionInstall(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId">,
  { id, role, planOnly, deletes = false }: ProvisionRequest & { readonly deletes?: boolean },
): Promise<string> {
  const install = await requireInstall(parts.db, actor.orgId, id);
  if (install.lifecycle_phase === "created")
    throw problem.conflict(
      "never_provisioned",
      "This install was never provisioned. Delete it or forget it.",
    );
  return beginWorkflow(parts, actor, {
    installId: id,
    workflow: { type: "deprovision", role, planOnly, params: deletes ? { deletes: true } : {} },
    isOnly: !planOnly,
  });
}

/** Deprovisions an install and then deletes it; one that never was provisioned is gone at once, without a workflow. */
export async function deleteInstall(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId">,
  id: string,
): Promise<string> {
  const { lifecycle_phase: phase, name } = await requireInstall(parts.db, actor.orgId, id);
  if (phase !== "created")
    return deprovisionInstall(parts, actor, { id, role: "", planOnly: false, deletes: true });
  await forgetInstall(parts.db, actor.orgId, { id, confirm: name });
  return "";
}

/** Brings an install to a config of its app that is active, or was. */
export async function updateInstallConfig(
  parts: Parts,
  actor: Pick<Actor, "id" | "orgId">,
  {
    id,
    configId,
    planOnly,
  }: Pick<ProvisionRequest, "id" | "planOnly"> & { readonly configId: string },
): Promise<string> {
  const { app_id: app } = await requireInstall(parts.db, actor.orgId, id);
  const config = await findConfig(parts.db, actor.orgId, { app, id: configId });
  if (config === undefined) {
    const detail = "The install's app has no config of this id.";
    throw problem.invalid([{ pointer: "#/app_config_id", code: "unknown_config", detail }]);
  }
  await requireConfigInForce(parts.db, actor.orgId, { app, configId });
  return beginWorkflow(parts, actor, {
    installId: id,
    workflow: { type: "app_branch_config_update", planOnly, params: { app_config_id: configId } },
  });
}

/** Refuses a config of an app that is neither active nor was; 404 without it. */
export async function requireConfigInForce(
  db: Db,
  org: OrgId,
  { app, configId }: { readonly app: string; readonly configId: string },
): Promise<void> {
  const config = await findConfig(db, org, { app, id: configId });
  if (config === undefined) throw problem.notFound("app config");
  if (config.plan_only || (config.status !== "active" && config.status !== "outdated"))
    throw problem.conflict("config_not_active", `The config is ${config.status}: sync it first.`);
}
