import type { AppConfigPatch, NewAppConfig } from "../../shared/api/config-parts.ts";
import { Problem, problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { toConfigDraft } from "./config-draft.ts";
import {
  type Members,
  membersOf,
  mostOfConfig,
  requireAdded,
  requireOpen,
  sealed,
} from "./config-part.ts";
import { failConfig, findParts, insertConfig, insertPart, sealConfig } from "./part-queries.ts";
import { findConfig } from "./queries.ts";
import { otherApp, requireValid } from "./require-valid.ts";
import type { ConfigId } from "./show-configs.ts";

/** Begins a config that comes in parts; its id. */
export async function beginConfig(
  db: Db,
  { orgId, id: actorId, requestSeed }: Pick<Actor, "id" | "orgId" | "requestSeed">,
  app: string,
  given: NewAppConfig,
): Promise<string> {
  const keyed = keyedId("cfg", requestSeed, app);
  if (requestSeed !== undefined && (await findConfig(db, orgId, { app, id: keyed }))) return keyed;
  const draft = { ...given, id: keyed, created_by_id: actorId };
  const id = await insertConfig(db, orgId, app, draft);
  if (id === null) throw problem.notFound("app");
  return id;
}

/** Adds a file's contents to a config that comes in parts; what was there of this file is replaced. Who does is one of its makers. */
export async function addConfigPart(
  db: Db,
  { orgId, id: byId }: Pick<Actor, "id" | "orgId">,
  which: ConfigId,
  { file, type, given }: { readonly file: string; readonly type: string; readonly given: Members },
): Promise<void> {
  const part = { file, value: JSON.stringify(membersOf(type, given)), by_id: byId };
  requireAdded(await insertPart(db, orgId, which, { part, most: mostOfConfig }));
}

/** Makes a config of parts active once all of it is valid, or gives it up; whether it is not simply one more like the active one. */
export async function updateConfig(
  db: Db,
  { orgId, id: actorId }: Pick<Actor, "id" | "orgId">,
  which: ConfigId,
  { status, status_description: description = "" }: AppConfigPatch,
): Promise<{ readonly isSame: boolean }> {
  if (status === "active") return await activate(db, { orgId, actorId }, which);
  const isEnd = status === "error";
  const told = { description, errors: [] };
  if (isEnd) requireOpen(await failConfig(db, orgId, which, { told, revision: undefined }));
  else if ((await findConfig(db, orgId, which)) === undefined) throw problem.notFound("app config");
  return { isSame: false };
}

/** Parts may come between the check and the seal: then all is checked again. */
const mostTries = 5;

async function activate(
  db: Db,
  by: { readonly orgId: OrgId; readonly actorId: string },
  which: ConfigId,
): Promise<{ readonly isSame: boolean }> {
  for (let tries = 0; tries < mostTries; tries++) {
    const row = await findConfig(db, by.orgId, which);
    const found = await findParts(db, by.orgId, which);
    if (row === undefined || found === undefined) throw problem.notFound("app config");
    if (row.status !== "pending" && row.status !== "syncing") throw sealed();
    const outcome = await tryToSeal(db, by, { ...which, ...found, cliVersion: row.cli_version });
    if (outcome !== "moved") return { isSame: outcome === "same" };
  }
  throw problem.conflict("config_changed", "Parts of this config came while it was checked.");
}

type Found = ConfigId & {
  readonly revision: number;
  readonly parts: Readonly<Record<string, string>>;
  readonly cliVersion: string;
};

async function tryToSeal(
  db: Db,
  { orgId, actorId }: { readonly orgId: OrgId; readonly actorId: string },
  { app, id, revision, parts, cliVersion }: Found,
): Promise<string | undefined> {
  const fail = async (refusal: Problem): Promise<string> => {
    const told = { description: refusal.message, errors: refusal.errors };
    const outcome = await failConfig(db, orgId, { app, id }, { told, revision });
    if (outcome === "moved") return outcome;
    requireOpen(outcome);
    throw refusal;
  };
  let checked;
  try {
    checked = await requireValid({ document: documentOf(parts) });
  } catch (error) {
    if (error instanceof Problem) return await fail(error);
    throw error;
  }
  const draft = toConfigDraft(checked.config, { id, cliVersion, actorId });
  const outcome = await sealConfig(db, orgId, app, { draft, revision });
  if (outcome === "other-app") return await fail(otherApp());
  if (outcome === "not-found" || outcome === "sealed") requireOpen(outcome);
  return outcome;
}

/** The JSON document of the parts. */
function documentOf(parts: Readonly<Record<string, string>>): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const [file, text] of Object.entries(parts)) {
    const [first = "", second] = file.split("/");
    const value: unknown = JSON.parse(text);
    if (second === undefined) document[first] = value;
    else document[first] = { ...(document[first] as object | undefined), [second]: value }; // a folder
  }
  return document;
}
