import { randomUUID } from "node:crypto";
import { backoffMs } from "../client/backoff.ts";
import { Unanswered } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import type { ClaimedJob } from "../running-job.ts";
import {
  type Answer,
  askForJobs,
  type Carried,
  type Claim,
  mostBytesOf,
  pollBody,
  type Slots,
  toAnswer,
} from "./ask-for-jobs.ts";
import { freeSlots } from "./free-slots.ts";
import type { LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { CarriedPoll } from "./next-poll.ts";
import type { WakeUp } from "./wake-up.ts";
import { checkDiskSpace } from "./watch-disk-space.ts";

/** Starts the claimed jobs, or gives them back. */
export type TakeJobs = (jobs: readonly ClaimedJob[], now: string) => void;

const floorMs = 1_000;
/** So long the next poll is left to a finish that is about to be sent. */
const mostLeftMs = 50;

/**
 * Keeps one request for jobs and orders parked at the broker, until the signal aborts. When the number of free slots
 * changes, a newer request replaces the parked one at the broker; jobs in the older one's answer are taken, too.
 */
export async function claim(
  parts: LoopContext,
  loop: Loop,
  { wakeUp, take }: { readonly wakeUp: WakeUp; readonly take: TakeJobs },
): Promise<void> {
  const { signal } = loop;
  const { nextPoll } = parts;
  const polls: Polls = { current: undefined, waitUntilMs: 0, failures: [] };
  const begin = (slots: Slots, carried?: Carried): Claim =>
    beginPoll({ parts, loop, polls, wake: wakeUp.wake, take }, slots, carried);
  const left = new Leaving(parts);

  async function goRound(): Promise<void> {
    const slots = freeSlots(parts);
    const { current, waitUntilMs, failures } = polls;
    const isUnderWay = current !== undefined && current.state !== "over";
    const isStale = current === undefined || isOutdated(parts, current, slots);
    // An immediate empty answer is not followed by a request at once; a change of slots is.
    const restMs = isStale || isUnderWay ? 0 : waitUntilMs - performance.now();
    const pauseMs = Math.max(left.forMs(isStale), restMs);
    if (pauseMs > 0) return void (await wakeUp.wait(pauseMs, signal));
    if (!isUnderWay || isStale) {
      if (Object.keys(slots).length > 0) await checkDiskSpace(parts);
      if (polls.current !== current) return; // a finish took the poll meanwhile
      polls.current = begin(freeSlots(parts));
    }
    await wakeUp.wait(60_000, signal);
    if (failures.length > 0) throw failures.shift();
  }

  nextPoll.offer({ take: () => takeNext(parts, polls, begin), wake: wakeUp.wake });
  try {
    while (!signal.aborted) await goRound();
  } finally {
    nextPoll.offer(undefined);
  }
}

/** What the loop knows of its polls. */
type Polls = {
  current: Claim | undefined;
  waitUntilMs: number;
  readonly failures: unknown[];
};

type Beginning = {
  readonly parts: LoopContext;
  readonly loop: Loop;
  readonly polls: Polls;
  readonly wake: () => void;
  readonly take: TakeJobs;
};

function beginPoll(
  { parts, loop: { signal, turn }, polls, wake, take }: Beginning,
  slots: Slots,
  carried: Carried,
): Claim {
  const process = parts.agent.process();
  const one: Claim = { slots, process, pollId: randomUUID(), state: "parked", carried };
  const mayBringJobs = Object.keys(slots).length > 0;
  if (mayBringJobs) parts.figures.unsettled += 1;
  parts.figures.isParked = true;
  const onFailing = (): void => {
    polls.current = one;
    parts.figures.isParked = false;
  };
  void answerOf(parts, one, { signal, onFailing })
    .then(async (answer) => {
      turn();
      if (answer.jobs.length === 0) polls.waitUntilMs = answer.askedMs + floorMs;
      parts.orders.take(one.process.id, answer.orders);
      if (answer.jobs.length > 0) await checkDiskSpace(parts); // the disk may have become full while it was parked
      take(answer.jobs, answer.now);
    })
    .catch((error: unknown) => void polls.failures.push(error))
    .finally(() => {
      one.state = "over";
      if (polls.current === one) parts.figures.isParked = false;
      if (mayBringJobs) parts.figures.unsettled -= 1;
      wake();
    });
  return one;
}

/** The poll of changed slots, for a finish that is about to be sent. */
async function takeNext(
  parts: LoopContext,
  polls: Polls,
  begin: (slots: Slots, carried: Carried) => Claim,
): Promise<CarriedPoll | undefined> {
  const isDue = (slots: Slots): boolean =>
    polls.current !== undefined &&
    Object.keys(slots).length > 0 && // there are none while it shuts down
    isOutdated(parts, polls.current, slots);
  if (!isDue(freeSlots(parts))) return undefined;
  await checkDiskSpace(parts);
  const slots = freeSlots(parts);
  if (!isDue(slots)) return undefined; // the loop was quicker, or the disk is full
  const askedMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
  const one = begin(slots, promise);
  polls.current = one;
  return {
    claim: pollBody(parts, one),
    secret: one.process.secret,
    mostBytes: mostBytesOf(slots),
    answered: (body) => resolve(toAnswer(body, askedMs)),
    failed: reject,
  };
}

/** Leaves a poll that is due to a finish that is about to be sent, for a moment. */
class Leaving {
  readonly #parts: LoopContext;
  #sinceMs: number | undefined;

  constructor(parts: LoopContext) {
    this.#parts = parts;
  }

  /** For how long still. */
  forMs(isDue: boolean): number {
    const { nextPoll, shutdown } = this.#parts;
    const isLeft = isDue && nextPoll.isExpected() && !shutdown.isRequested();
    this.#sinceMs = isLeft ? (this.#sinceMs ?? performance.now()) : undefined;
    return this.#sinceMs === undefined ? 0 : this.#sinceMs + mostLeftMs - performance.now();
  }
}

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
      const carried = nth === 0 ? await one.carried : undefined;
      if (carried !== undefined) {
        parts.figures.claims += 1;
        return carried;
      }
      const { body } = await askForJobs(parts, { ...one, isAgain: nth > 0 }, signal);
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

/** A request is not replaced while it is repeated: its lost answer may have had jobs. */
function isOutdated({ agent }: LoopContext, { state, process, slots }: Claim, now: Slots): boolean {
  if (process.id !== agent.process().id) return true;
  // both have the order of one table
  return state !== "failing" && JSON.stringify(slots) !== JSON.stringify(now);
}
