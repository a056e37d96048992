import { claimJobsRoute } from "../../shared/api/poll-jobs.ts";
import { processSecretHeader } from "../../shared/api/runner-process.ts";
import { formatDuration } from "../../shared/duration.ts";
import { claimAnswerSchema } from "../client/answer-schemas.ts";
import { planAnswerBytes } from "../client/broker-client.ts";
import type { AgentAnswer } from "../client/read-answer.ts";
import type { RunnerProcess } from "../register/stored-process.ts";
import type { ClaimedJob } from "../running-job.ts";
import type { freeSlots } from "./free-slots.ts";
import type { LoopContext } from "./loop-context.ts";

export type Slots = ReturnType<typeof freeSlots>;
export type Claim = {
  slots: Slots;
  readonly pollId: string;
  /** The process that claims, with its secret. */
  readonly process: RunnerProcess;
  state: "parked" | "failing" | "over";
  /** What a finish that carries it brings; undefined where the broker did not take it as a claim. */
  readonly carried: Carried;
};
export type Carried = Promise<Answer | undefined> | undefined;

export type Answer = {
  readonly jobs: readonly ClaimedJob[];
  readonly orders: readonly unknown[];
  readonly now: string;
  readonly askedMs: number;
};

const mostNamed = 1_000;
const graceMs = 10_000;

/** What a finish that carries a claim was answered; undefined where the broker refused the claim. */
export function toAnswer(body: unknown, askedMs: number): Answer | undefined {
  const parsed = claimAnswerSchema.safeParse(body);
  return parsed.success ? { ...(parsed.data as unknown as Answer), askedMs } : undefined;
}

/** Asks once for jobs and orders; throws Unanswered, or Refused when the process is over. */
export async function askForJobs(
  parts: LoopContext,
  one: Claim & { isAgain: boolean },
  signal: AbortSignal,
): Promise<AgentAnswer<typeof claimJobsRoute>> {
  const { client, config, runnerId } = parts.agent;
  const { id: processId, secret } = one.process;
  return await client.call(
    claimJobsRoute,
    {
      params: { runner_id: runnerId },
      body: pollBody(parts, one),
      headers: { [processSecretHeader]: secret },
    },
    {
      scope: "process",
      processId,
      signal,
      isOnce: true,
      timeoutMs: config.claimWait + Math.min(graceMs, config.requestTimeout),
      answer: claimAnswerSchema,
      mostBytes: mostBytesOf(one.slots),
    },
  );
}

/** What a poll says: the free slots, and what the agent knows already. */
export function pollBody(
  { agent, orders, settings }: LoopContext,
  { slots, pollId, process, isAgain = false }: Claim & { isAgain?: boolean },
) {
  const held = agent.runningJobs.all().map(({ executionId }) => executionId);
  // Only after failures and silence: otherwise heartbeats fetch orders, and a claim need not.
  const isAsking = held.length > 0 && (isAgain || agent.leases.isStale(held));
  return {
    process_id: process.id,
    poll_id: pollId,
    groups: slots,
    wait: formatDuration(agent.config.claimWait * 1e6),
    known_orders: orders.known(),
    settings_version: settings.current().version,
    ...(isAsking && { executions: held.slice(0, mostNamed) }),
  };
}

/** Room for as many plans as it asks for, and orders. */
export function mostBytesOf(slots: Slots): number {
  const jobs = Object.values(slots).reduce((sum, free) => sum + free, 0);
  return (jobs + 1) * planAnswerBytes;
}
