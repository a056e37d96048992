import type { AppConfigPatch, NewAppConfig } from "../../shared/api/config-parts.ts";
import { Problem, problem } from "../../shared/problem.ts";
import { requireApp } from "../apps/keep-apps.ts";
import type { Broker } from "../broker.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Asking } from "./changes-between.ts";
import { checkPolicies } from "./check-policies.ts";
import {
  type Members,
  membersOf,
  mostOfConfig,
  partText,
  requireAdded,
  requireOpen,
  sealed,
} from "./config-part.ts";
import { freeBytes } from "./free-bytes.ts";
import { failConfig, findParts, insertConfig, insertParts, sealConfig } from "./part-queries.ts";
import { findConfig, keepClientState } from "./queries.ts";
import type { ConfigId } from "./show-configs.ts";
import { otherApp } from "./work/require-valid.ts";

/** Begins a config that comes in parts; its id. */
export async function beginConfig(
  db: Db,
  { orgId, id: actorId, requestSeed }: Pick<Actor, "id" | "orgId" | "requestSeed">,
  app: string,
  { readme, cli_version, plan_only }: NewAppConfig,
): Promise<string> {
  const keyed = keyedId("cfg", requestSeed, app);
  if (requestSeed !== undefined && (await findConfig(db, orgId, { app, id: keyed }))) return keyed;
  const draft = { readme, cli_version, plan_only, id: keyed, created_by_id: actorId };
  const id = await insertConfig(db, orgId, app, draft);
  if (id === null) throw problem.notFound("app");
  return id;
}

type GivenPart = { readonly file: string; readonly type: string; readonly given: Members };

/** Adds files' contents to a config in parts, all or none; what was there of these files is replaced. Who does is one of its makers. */
export async function addConfigParts(
  db: Db,
  { orgId, id: byId }: Pick<Actor, "id" | "orgId">,
  which: ConfigId,
  given: readonly GivenPart[],
): Promise<void> {
  const parts = given.map((one) => {
    return { file: one.file, value: partText(membersOf(one.type, one.given)), by_id: byId };
  });
  requireAdded(await insertParts(db, orgId, which, { parts, most: mostOfConfig }));
}

type Parts = Pick<Broker, "config" | "db" | "opa" | "work">;

/** Makes a config of parts active once all of it is valid, or gives it up; whether it is not simply one more like the active one. */
export async function updateConfig(
  parts: Parts,
  asking: Asking,
  which: ConfigId,
  patch: AppConfigPatch,
): Promise<{ readonly isSame: boolean }> {
  const { db } = parts;
  const { orgId } = asking.actor;
  const { state } = patch;
  const outcome = await changeStatus(parts, asking, which, patch);
  if (state !== undefined)
    await asking.withPermit(() => keepClientState(db, orgId, { ...which, state }));
  return outcome;
}

async function changeStatus(
  parts: Parts,
  asking: Asking,
  which: ConfigId,
  { status, status_description: description = "" }: AppConfigPatch,
): Promise<{ readonly isSame: boolean }> {
  if (status === "active") return await activate(parts, asking, which);
  const { actor, withPermit } = asking;
  await withPermit(async () => {
    const told = JSON.stringify({ description, errors: [] });
    if (status === "error")
      requireOpen(await failConfig(parts.db, actor.orgId, which, { told, revision: undefined }));
    else if ((await findConfig(parts.db, actor.orgId, which)) === undefined)
      throw problem.notFound("app config");
  });
  return { isSame: false };
}

/** Parts may come between the check and the seal: then all is checked again. */
const mostTries = 5;

async function activate(
  parts: Parts,
  asking: Asking,
  which: ConfigId,
): Promise<{ readonly isSame: boolean }> {
  const { orgId } = asking.actor;
  for (let tries = 0; tries < mostTries; tries++) {
    const found = await asking.withPermit(async () => {
      const row = await findConfig(parts.db, orgId, which);
      const found = await findParts(parts.db, orgId, which);
      if (row === undefined || found === undefined) throw problem.notFound("app config");
      if (row.status !== "pending" && row.status !== "syncing") throw sealed();
      const { name: defaultName } = await requireApp(parts.db, orgId, which.app);
      return { ...found, cliVersion: row.cli_version, defaultName };
    });
    const outcome = await tryToSeal(parts, asking, { ...which, ...found });
    if (outcome !== "moved") return { isSame: outcome === "same" };
  }
  throw problem.conflict(
    "config_changed",
    "Parts were added to this config while it was being checked. Try again.",
  );
}

type Found = ConfigId & {
  readonly revision: number;
  readonly parts: string;
  readonly cliVersion: string;
  readonly defaultName: string;
};

async function tryToSeal(
  { config, db, opa, work }: Parts,
  { actor, withPermit, gone }: Asking,
  { app, id, revision, parts, cliVersion, defaultName }: Found,
): Promise<string | undefined> {
  const { orgId } = actor;
  const fail = async (refusal: Problem): Promise<string> => {
    const { message, errors, errorsText = JSON.stringify(errors) } = refusal;
    const told = `{"description":${JSON.stringify(message)},"errors":${errorsText}}`;
    const outcome = await withPermit(() => failConfig(db, orgId, { app, id }, { told, revision }));
    if (outcome === "moved") return outcome;
    requireOpen(outcome);
    throw refusal;
  };
  let draft: string;
  try {
    const draftOf = { id, cliVersion, actorId: actor.id, builds: config.registry !== undefined };
    const { brands } = config;
    const asked = { form: "parts", draft: draftOf, brands, defaultName } as const;
    const bytes = [Buffer.from(parts)];
    const checked = await work.run({ orgId, kind: "configs.check", asked, bytes }, gone);
    const [text = new Uint8Array()] = checked.bytes;
    await checkPolicies({ opa }, { actor, gone }, checked.told.policies, checked.bytes.slice(5)); // parts have no folders beside them
    draft = Buffer.from(text.buffer, text.byteOffset, text.byteLength).toString("utf8");
    freeBytes(text);
  } catch (error) {
    // That a broker was busy says nothing about the config.
    if (error instanceof Problem && error.status === 422) return await fail(error);
    throw error;
  }
  const outcome = await withPermit(() => sealConfig(db, orgId, app, { draft, revision }));
  if (outcome === "other-app") return await fail(otherApp());
  if (outcome === "not-found" || outcome === "sealed") requireOpen(outcome);
  return outcome;
}
