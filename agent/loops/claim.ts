import { randomUUID } from "node:crypto";
import { claimJobsRoute } from "../../shared/api/poll-jobs.ts";
import { processSecretHeader } from "../../shared/api/runner-process.ts";
import { formatDuration } from "../../shared/duration.ts";
import { claimAnswerSchema } from "../client/answer-schemas.ts";
import { backoffMs } from "../client/backoff.ts";
import { planAnswerBytes } from "../client/broker-client.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { AgentAnswer } from "../client/read-answer.ts";
import type { RunnerProcess } from "../register/stored-process.ts";
import type { ClaimedJob } from "../running-job.ts";
import { freeSlots } from "./free-slots.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { WakeUp } from "./wake-up.ts";
import { checkDiskSpace } from "./watch-disk-space.ts";

/** Starts the claimed jobs, or gives them back. */
export type TakeJobs = (jobs: readonly ClaimedJob[], now: string) => void;

type Slots = ReturnType<typeof freeSlots>;
type Claim = {
  slots: Slots;
  readonly pollId: string;
  /** The process that claims, with its secret. */
  readonly process: RunnerProcess;
  state: "parked" | "failing" | "over";
};

const mostNamed = 1_000;
const floorMs = 1_000;
const graceMs = 10_000;

/**
 * Keeps one request for jobs and orders parked at the broker, until the signal aborts. When the number of free slots
 * changes, a newer request replaces the parked one at the broker; jobs in the older one's answer are taken, too.
 */
export async function claim(
  parts: LoopContext,
  { signal, turn }: Loop,
  { wakeUp, take }: { readonly wakeUp: WakeUp; readonly take: TakeJobs },
): Promise<void> {
  const failures: unknown[] = [];
  let current: Claim | undefined;
  let waitUntilMs = 0;

  function begin(slots: Slots): Claim {
    const process = parts.agent.process();
    const one: Claim = { slots, process, pollId: randomUUID(), state: "parked" };
    const mayBringJobs = Object.keys(slots).length > 0;
    if (mayBringJobs) parts.figures.unsettled += 1;
    parts.figures.isParked = true;
    const onFailing = (): void => {
      current = one;
      parts.figures.isParked = false;
    };
    void answerOf(parts, one, { signal, onFailing })
      .then(async (answer) => {
        turn();
        if (answer.jobs.length === 0) waitUntilMs = answer.askedMs + floorMs;
        parts.orders.take(one.process.id, answer.orders);
        if (answer.jobs.length > 0) await checkDiskSpace(parts); // the disk may have become full while it was parked
        take(answer.jobs, answer.now);
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        one.state = "over";
        if (current === one) parts.figures.isParked = false;
        if (mayBringJobs) parts.figures.unsettled -= 1;
        wakeUp.wake();
      });
    return one;
  }

  while (!signal.aborted) {
    let slots = freeSlots(parts);
    const isUnderWay = current !== undefined && current.state !== "over";
    const isStale = current === undefined || isOutdated(parts, current, slots);
    // An immediate empty answer is not followed by a request at once; a change of slots is.
    const restMs = isStale ? 0 : waitUntilMs - performance.now();
    if (!isUnderWay && restMs > 0) {
      await wakeUp.wait(restMs, signal);
      continue;
    }
    if (!isUnderWay || isStale) {
      if (Object.keys(slots).length > 0) {
        await checkDiskSpace(parts);
        slots = freeSlots(parts);
      }
      current = begin(slots);
    }
    await wakeUp.wait(60_000, signal);
    if (failures.length > 0) throw failures.shift();
  }
}

type Answer = {
  readonly jobs: readonly ClaimedJob[];
  readonly orders: readonly unknown[];
  readonly now: string;
  readonly askedMs: number;
};

/**
 * Repeats the request until there is an answer. A repetition has the same poll_id, so jobs in a lost answer come
 * again. A request that a newer one replaced may have had jobs in its answer, too; repeated, it becomes the newest.
 */
async function answerOf(
  parts: LoopContext,
  one: Claim,
  { signal, onFailing }: { readonly signal: AbortSignal; readonly onFailing: () => void },
): Promise<Answer> {
  const { config } = parts.agent;
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  for (let nth = 0; ; nth++) {
    const askedMs = performance.now();
    try {
      const { body } = await ask(parts, { ...one, isAgain: nth > 0 }, signal);
      parts.figures.claims += 1;
      const { jobs, orders, now } = body as unknown as Answer; // claimAnswerSchema has checked it
      return { jobs, orders, now, askedMs };
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      one.state = "failing";
      onFailing();
      const waitMs = backoffMs(nth, limits, error.retryAfterMs);
      const level = nth === 0 ? "debug" : "warn";
      parts.agent.log[level](
        { why: error.message, nth },
        "the broker did not answer a poll; trying again",
      );
      await pause(waitMs, signal);
      const slots = freeSlots(parts);
      if (Object.keys(slots).length > 0) one.slots = slots; // without free slots, jobs of a lost answer would not come again
    }
  }
}

async function ask(
  { agent, orders, settings }: LoopContext,
  { slots, pollId, process: { id: processId, secret }, isAgain }: Claim & { isAgain: boolean },
  signal: AbortSignal,
): Promise<AgentAnswer<typeof claimJobsRoute>> {
  const { client, config, runnerId } = agent;
  const held = agent.runningJobs.all().map(({ executionId }) => executionId);
  // Only after failures and silence: otherwise heartbeats fetch orders, and a claim need not.
  const isAsking = held.length > 0 && (isAgain || agent.leases.isStale(held));
  const body = {
    process_id: processId,
    poll_id: pollId,
    groups: slots,
    wait: formatDuration(config.claimWait * 1e6),
    known_orders: orders.known(),
    settings_version: settings.current().version,
    ...(isAsking && { executions: held.slice(0, mostNamed) }),
  };
  return await client.call(
    claimJobsRoute,
    { params: { runner_id: runnerId }, body, headers: { [processSecretHeader]: secret } },
    {
      scope: "process",
      processId,
      signal,
      isOnce: true,
      timeoutMs: config.claimWait + Math.min(graceMs, config.requestTimeout),
      answer: claimAnswerSchema,
      mostBytes: mostBytesOf(slots),
    },
  );
}

/** Room for as many plans as it asks for, and orders. */
function mostBytesOf(slots: Slots): number {
  const jobs = Object.values(slots).reduce((sum, free) => sum + free, 0);
  return (jobs + 1) * planAnswerBytes;
}

/** A request is not replaced while it is repeated: its lost answer may have had jobs. */
function isOutdated({ agent }: LoopContext, { state, process, slots }: Claim, now: Slots): boolean {
  if (process.id !== agent.process().id) return true;
  // both have the order of one table
  return state !== "failing" && JSON.stringify(slots) !== JSON.stringify(now);
}
