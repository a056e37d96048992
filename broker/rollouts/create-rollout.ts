import type { ShutdownType } from "../../shared/api/runner-process-shutdown.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { keyedId } from "../database/keyed-id.ts";
import { newId } from "../database/new-id.ts";
import { cutAfterOf } from "../processes/request-shutdowns.ts";
import { findRunnerGroup } from "../runner-groups/queries.ts";
import { requireOperator } from "../runners/require-operator.ts";
import type { Actor } from "../tokens/actor.ts";
import { insertRollout, listLiveProcesses } from "./queries.ts";
import { findRollout, type RolloutRow } from "./rollout-rows.ts";

export type RolloutWish = {
  /** undefined: all groups of the org. */
  readonly groupId: string | undefined;
  readonly type: ShutdownType;
  readonly maxAtOnce: number;
  readonly includeLast: boolean;
  readonly deadlineNs: number | undefined;
  readonly reason: string;
};

/** What one rollout may hold: its rows are written in one statement. */
const mostProcesses = 5000;

/** Orders all live processes of a group or org, a few at a time. 409 when there is none, or another rollout is under way. */
export async function createRollout(
  db: Db,
  actor: Pick<Actor, "bound" | "id" | "orgId" | "permissions" | "requestSeed" | "runnerId">,
  wish: RolloutWish,
): Promise<RolloutRow> {
  const { orgId, id: createdById, requestSeed } = actor;
  const { groupId, deadlineNs, ...rest } = wish;
  const id = keyedId("rlo", requestSeed);
  const before = requestSeed && (await findRollout(db, orgId, id));
  if (before) return before;
  if (groupId !== undefined && (await findRunnerGroup(db, orgId, groupId)) === undefined)
    throw problem.notFound("runner group");
  const processes = await listLiveProcesses(db, orgId, { groupId, most: mostProcesses + 1 });
  if (processes.length === 0) {
    const where = groupId === undefined ? "This org" : "This group";
    throw problem.conflict("no_live_process", `${where} has no live process to order.`);
  }
  if (processes.length > mostProcesses) {
    const detail = `A rollout takes at most ${mostProcesses} processes. Order group by group.`;
    throw problem.conflict("too_many_processes", detail);
  }
  await requireOperator(db, actor, {
    runner_ids: [...new Set(processes.map(({ runner_id: id }) => id))],
  });
  const outcome = await insertRollout(
    db,
    orgId,
    {
      ...rest,
      id,
      groupId,
      cutAfterNs: cutAfterOf(wish.type, deadlineNs),
      createdById,
    },
    processes.map((process) => ({ ...process, shutdownId: newId("shd") })),
  );
  if (outcome === "group-not-found") throw problem.notFound("runner group");
  if (outcome.startsWith("open ")) {
    const open = outcome.slice("open ".length);
    const detail = `The rollout ${open} is under way for the same runners. Wait for its end, or cancel it.`;
    throw problem.conflict("rollout_open", detail);
  }
  const made = await findRollout(db, orgId, outcome);
  if (made === undefined) throw new Error(`create_rollout answered ${outcome}`);
  return made;
}
