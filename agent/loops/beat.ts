import { createHeartBeatRoute } from "../../shared/api/heart-beat.ts";
import { version } from "../../shared/version.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { beatAnswerSchema } from "../client/claim-answer.ts";
import { momentNow } from "../orders/execution-leases.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { WakeUp } from "./wake-up.ts";

const longestBeatMs = 10_000;

/** Tells the broker that this process lives and what it holds, and obeys what it answers, until the signal aborts. */
export async function beat(
  parts: LoopContext,
  { signal, turn }: Loop,
  wakeUp: WakeUp,
): Promise<void> {
  while (!signal.aborted) {
    const startedMs = performance.now();
    await beatOnce(parts, signal);
    turn();
    const everyMs = parts.settings.current().heart_beat_timeout / 1e6;
    // Agents that started together drift apart.
    const nextMs = everyMs * (0.9 + Math.random() * 0.1) - (performance.now() - startedMs);
    await wakeUp.wait(Math.max(0, nextMs), signal);
  }
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
