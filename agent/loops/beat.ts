import { createHeartBeatRoute } from "../../shared/api/heart-beat.ts";
import { version } from "../../shared/version.ts";
import { beatAnswerSchema } from "../client/answer-schemas.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { momentNow } from "../orders/execution-leases.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { WakeUp } from "./wake-up.ts";

const longestBeatMs = 10_000;
/** The broker marks a process offline after 60 s: three heartbeats of an idle process may be lost. */
const longestRestMs = 15_000;

/**
 * Sends heartbeats with the held executions and obeys the orders in the answers, until the signal aborts. An idle
 * process with a parked claim is known to be alive and gets orders by it, so it skips two heartbeats of three.
 */
export async function beat(
  parts: LoopContext,
  { signal, turn }: Loop,
  wakeUp: WakeUp,
): Promise<void> {
  let [beatAtMs, isAsked] = [Number.NEGATIVE_INFINITY, true];
  while (!signal.aborted) {
    const startedMs = performance.now();
    const everyMs = parts.settings.current().heart_beat_timeout / 1e6;
    const mayRest = !isAsked && isResting(parts);
    if (!mayRest || isBeatDue({ sinceMs: startedMs - beatAtMs, everyMs })) {
      await beatOnce(parts, signal);
      beatAtMs = startedMs;
    }
    turn();
    // Jitter: agents that started together do not stay in step.
    const nextMs = everyMs * (0.9 + Math.random() * 0.1) - (performance.now() - startedMs);
    isAsked = await wakeUp.wait(Math.max(0, nextMs), signal);
  }
}

/** Whether an idle process must beat now: the next turn would be too late. */
export function isBeatDue({
  sinceMs,
  everyMs,
}: {
  readonly sinceMs: number;
  readonly everyMs: number;
}): boolean {
  return sinceMs + everyMs > Math.min(3 * everyMs, longestRestMs);
}

function isResting({ agent, shutdown, figures }: LoopContext): boolean {
  return figures.isParked && agent.runningJobs.all().length === 0 && !shutdown.isRequested();
}

async function beatOnce(parts: LoopContext, signal: AbortSignal): Promise<void> {
  const { agent, orders, settings, figures } = parts;
  const { client, config, runningJobs, runnerId, leases } = agent;
  const asked = momentNow();
  const executions = runningJobs.all().map(({ executionId }) => executionId);
  const { id: processId } = agent.process();
  const body = {
    alive_time: Math.round(process.uptime() * 1e9),
    version,
    process: config.mode,
    process_id: processId,
    executions,
    settings_version: settings.current().version,
  };
  const answer = await client
    .call(
      createHeartBeatRoute,
      { params: { runner_id: runnerId }, body },
      {
        scope: "process",
        processId,
        signal,
        timeoutMs: Math.min(config.requestTimeout, longestBeatMs),
        isOnce: true, // a late heartbeat would report old facts: the loop makes a new one
        answer: beatAnswerSchema,
      },
    )
    .catch((error: unknown) => {
      if (error instanceof Unanswered) leases.renewalFailed(asked);
      throw error;
    });
  figures.beats += 1;
  orders.take(processId, answer.body.orders ?? []); // first, because what has ended must not begin anything by the next line
  leases.renewed(executions, asked);
}
