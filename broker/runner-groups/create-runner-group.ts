import type { NewRunnerGroup } from "../../shared/api/runner-groups.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { newId } from "../database/new-id.ts";
import type { Actor } from "../tokens/actor.ts";
import { findRunnerGroup, insertRunnerGroup } from "./queries.ts";
import { changeSettings, firstSettings } from "./settings.ts";

/** Creates a group with its settings; answers its id. Without an owner it is the org's. */
export async function createRunnerGroup(
  db: Db,
  actor: Pick<Actor, "id" | "orgId" | "requestSeed">,
  { settings, ...group }: NewRunnerGroup,
): Promise<string> {
  const id = keyedId("rgr", actor.requestSeed);
  if (actor.requestSeed !== undefined && (await findRunnerGroup(db, actor.orgId, id))) return id;
  await insertRunnerGroup(db, actor.orgId, {
    ...group,
    owner_id: group.owner_id ?? actor.orgId,
    owner_type: group.owner_type ?? "org",
    id,
    settingsId: newId("rgs"),
    settings: changeSettings(firstSettings(group.type), settings, "#/settings"),
    actorId: actor.id,
  });
  return id;
}
