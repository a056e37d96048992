import type { Permission } from "../../shared/permissions.ts";
import { problem } from "../../shared/problem.ts";
import { laneOwners, permissionsOfAct, type QueueAct, queueActs } from "../../shared/queue-acts.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Actor } from "../tokens/actor.ts";
import type { Bound } from "../tokens/bound/bound.ts";
import { outside } from "../tokens/bound/require-within.ts";
import { isWithin } from "../tokens/bound/within.ts";
import { findLane, type InQueue, type Lane } from "./find-lane.ts";

type Caller = Pick<Actor, "bound" | "orgId" | "permissions">;

/**
 * Refuses with 403 a caller that may not do this with a queue, or with a signal or an emitter in it: in a lane, whoever lacks what
 * the lane's owner asks. A token that is bound to an app or an install acts in the lanes of its own installs alone: else 404, or 403
 * for what it does in no lane. What is not there is left to who acts on it.
 */
export async function requireAct(
  db: Db,
  caller: Caller,
  { act, on }: { readonly act: QueueAct; readonly on: InQueue },
): Promise<void> {
  const { bound, orgId, permissions } = caller;
  if (bound === null && mayInEveryLane(permissions, act)) return;
  const lane = await findLane(db, orgId, on);
  if (bound !== null) {
    requireBoundAct(act, on);
    if (!lane || !(await isOwnLane(db, orgId, { lane, bound }))) throw problem.notFound(wordOf(on));
  }
  if (lane) requirePermissions(permissions, act, lane);
}

/** Whether lists leave out lanes, with what is in them, for this caller: one that may not read what their owners have. */
export const hidesLanes = (permissions: ReadonlySet<Permission>): boolean =>
  !mayInEveryLane(permissions, "read");

function mayInEveryLane(permissions: ReadonlySet<Permission>, act: QueueAct): boolean {
  return laneOwners.every((owner) =>
    permissionsOfAct(act, owner).every((needed) => permissions.has(needed)),
  );
}

function requireBoundAct(act: QueueAct, on: InQueue): void {
  if (!("isBound" in queueActs[act])) throw outside("it operates lanes, and files nothing in them");
  if (on.queue_id?.startsWith("run_") === true) throw outside("this is the queue of a runner");
}

async function isOwnLane(
  db: Db,
  org: OrgId,
  { lane, bound }: { readonly lane: Lane; readonly bound: Bound },
): Promise<boolean> {
  if (lane.owner === "app_branches") return false;
  return await isWithin(db, org, { thing: lane.owner, id: lane.id, bound });
}

function requirePermissions(
  permissions: ReadonlySet<Permission>,
  act: QueueAct,
  { owner, id }: Lane,
): void {
  const lacking = permissionsOfAct(act, owner).find((needed) => !permissions.has(needed));
  if (lacking === undefined) return;
  throw problem.forbidden(
    "permission_missing",
    `This queue is a lane of ${id}, so what is done with it and in it asks what its owner asks. This token lacks the permission ${lacking}.`,
  );
}

const wordOf = ({ queue_id: queue, emitter_id: emitter }: InQueue): string =>
  queue !== undefined ? "queue" : emitter !== undefined ? "emitter" : "signal";
