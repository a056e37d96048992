import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { Db } from "../database/connect.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import type { Poll } from "./parked-polls.ts";

/** A poll of a third-party runner: its group (null: any), and since when it is parked (undefined: it has just arrived). */
type ConfirmingPoll = {
  readonly group: RunnerJobGroup | null;
  readonly parkedSince?: string | undefined;
};
type Parts = { readonly db: Db; readonly wakes: Wakes };

/**
 * A third-party runner that polls a group again has stopped what it was told to stop there. Returns the
 * database's time, from which this poll counts as parked.
 */
export async function confirmByPolls(
  { db, wakes }: Parts,
  runnerId: string,
  polls: readonly ConfirmingPoll[],
): Promise<string> {
  const [row] = await db<{ wakes: string[]; at: string }[]>`
    select confirm_by_polls(${runnerId}, ${db.array(
      polls.map(({ group }) => group),
      texts,
    )}, ${db.array(
      polls.map(({ parkedSince }) => parkedSince ?? null),
      instants,
    )}) as wakes, svc_now()::text as at`;
  if (row === undefined) throw new Error("confirm_by_polls answered nothing");
  if (row.wakes.length > 0) wakes.notify([topics.queue(runnerId)]);
  return row.at;
}

const texts = 1009;
const instants = 1185;

/** Lets this runner's parked polls confirm stops, also of executions that were told to stop after the poll was parked. */
export async function confirmByParked(
  parts: Parts,
  runnerId: string,
  parked: Iterable<Poll>,
): Promise<void> {
  const polls = [...parked].flatMap(({ processId, groups, parkedSince }) => {
    if (processId !== null || parkedSince === undefined) return []; // ours say themselves what they hold
    return (groups === null ? [null] : [...groups.keys()]).map((group) => ({ group, parkedSince }));
  });
  if (polls.length > 0) await confirmByPolls(parts, runnerId, polls);
}
