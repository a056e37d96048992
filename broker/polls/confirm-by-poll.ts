import type { RunnerJobGroup } from "../../shared/runner-job-types.ts";
import type { Broker } from "../broker.ts";
import { topics } from "../wake/wakes.ts";

/** A third-party runner that polls a group again has stopped what it was told to stop there. */
export async function confirmByPoll(
  { db, wakes }: Broker,
  runnerId: string,
  group: RunnerJobGroup | null,
): Promise<void> {
  const [row] = await db<
    { wakes: string[] }[]
  >`select confirm_by_poll(${runnerId}, ${group}) as wakes`;
  if (row !== undefined && row.wakes.length > 0) wakes.tell([topics.queue(runnerId)]);
}
