import { problem } from "../../shared/problem.ts";
import { signalType } from "../../shared/signal-types.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { deleteEmitterRow, findEmitter } from "./queries.ts";
import type { EmitterRow } from "./row.ts";

/** Deletes an emitter; 404 when there is none, 409 for one that follows a config. */
export async function deleteEmitter(db: Db, org: OrgId, id: string): Promise<void> {
  const row = await findEmitter(db, org, id);
  if (row !== undefined) requireOwn(row);
  if (!(await deleteEmitterRow(db, org, id))) throw problem.notFound("emitter");
}

/** Refuses with 409 to change or delete what follows a config. */
export function requireOwn({
  signal_type: type,
  owner_id: owner,
}: Pick<EmitterRow, "signal_type" | "owner_id">): void {
  if (signalType(type)?.isInternal !== true) return;
  const what = followedBy(type, owner);
  throw problem.conflict("managed_emitter", `This emitter follows ${what}; or pause the emitter.`);
}

function followedBy(type: string, owner: string): string {
  if (type === "image-update")
    return `the update_policy of components in the config of the app ${owner}. Change these and sync the app`;
  const [what, change] = type.startsWith("drift-run")
    ? ["drift_schedule", "it"]
    : ["cron triggers", "the action's triggers"];
  return `the ${what} in the config of the install ${owner}. Change ${change}, sync the app and update the install's config`;
}
