import { createHeartBeatRoute } from "../../shared/api/heart-beat.ts";
import { version } from "../../shared/version.ts";
import { beatAnswerSchema } from "../client/answer-schemas.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { momentNow } from "../orders/execution-leases.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { WakeUp } from "./wake-up.ts";

const longestBeatMs = 10_000;
/** The broker takes a process for offline after 60 s: three heartbeats of one that rests may be lost. */
const longestRestMs = 15_000;

/**
 * Tells the broker that this process lives and what it holds, and obeys what it answers, until the signal aborts. A
 * process that holds nothing and has a claim parked, by which it is heard of and hears as well, leaves two heartbeats of three
 * out.
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
    // Agents that started together drift apart.
    const nextMs = everyMs * (0.9 + Math.random() * 0.1) - (performance.now() - startedMs);
    isAsked = await wakeUp.wait(Math.max(0, nextMs), signal);
  }
}

/** Whether a process that rests has to beat now: the next time would be too late. */
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
        isOnce: true, // a late beat would tell what is not true any more: the loop makes a new one
        answer: beatAnswerSchema,
      },
    )
    .catch((error: unknown) => {
      if (error instanceof Unanswered) leases.renewalFailed(asked);
      throw error;
    });
  figures.beats += 1;
  orders.take(processId, answer.body.orders ?? []); // first: what is over may not begin anything by what follows
  leases.renewed(executions, asked);
}
