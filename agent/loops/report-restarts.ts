import { updateProcessRoute } from "../../shared/api/runner-process.ts";
import { Refused } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";

const lookEveryMs = 2_000;

/** When this process is restarted on schedule, and when a former one was; empty for never. */
export type RestartTimes = { readonly next: string; readonly previous: string };

/** Tells the broker when the next scheduled restart is, and when the last was, after each change. */
export async function reportRestarts(
  { agent }: LoopContext,
  { signal, turn }: Loop,
  times: () => RestartTimes,
): Promise<void> {
  let told = { processId: "", next: "", previous: "" };
  while (!signal.aborted) {
    const { id: processId } = agent.process();
    const { next, previous } = times();
    // To the broker a new process has no schedule until it says so.
    const known = told.processId === processId ? told : { next: "", previous: "" };
    if (known.next !== next || known.previous !== previous) {
      await tell(agent, processId, { next, previous }, signal);
      told = { processId, next, previous };
    }
    turn();
    await pause(lookEveryMs, signal);
  }
}

async function tell(
  { client, runnerId, log }: LoopContext["agent"],
  processId: string,
  { next, previous }: RestartTimes,
  signal: AbortSignal,
): Promise<void> {
  const params = { runner_id: runnerId, process_id: processId };
  const body = { next_scheduled_restart_at: next, previous_scheduled_restart_at: previous };
  try {
    const how = { scope: "process", processId, signal, isOnce: true } as const;
    await client.call(updateProcessRoute, { params, body }, how);
  } catch (error) {
    if (!(error instanceof Refused) || error.what !== "refused") throw error;
    log.debug("the broker does not accept the times of scheduled restarts"); // it is an older one
  }
}
