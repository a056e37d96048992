import { z } from "zod";
import { finishExecutionRoute, type ResultInput } from "../../shared/api/report-executions.ts";
import { processSecretHeader } from "../../shared/api/runner-process.ts";
import { backoffMs } from "../client/backoff.ts";
import { Refused, SlowedDown, Unanswered } from "../client/broker-errors.ts";
import { pause } from "../client/pause.ts";
import { TimedOut } from "../client/send.ts";
import { parsePendingResult, type PendingResult } from "../spool/result-outbox.ts";
import type { LoopFigures, LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { CarriedPoll } from "./next-poll.ts";
import type { WakeUp } from "./wake-up.ts";

const answerSchema = z.looseObject({ execution: z.looseObject({ id: z.string() }) });
const mostAtOnce = 8;
const lookEveryMs = 30_000;
const graceMs = 10_000;
const longestSendMs = 5 * 60_000; // a result may have 64 MiB

type DeliverParts = Pick<LoopContext, "agent" | "nextPoll"> & {
  readonly figures: Pick<LoopFigures, "delivered" | "refusedResults">;
};

/** Failed deliveries: how many, and when the next try is due, by performance.now(). */
type Delays = Map<string, { readonly failures: number; readonly dueAtMs: number }>;

/**
 * Delivers the results in the outbox until the broker has accepted or refused them, until the signal aborts. A result
 * that must wait does not delay others.
 */
export async function deliver(
  parts: DeliverParts,
  { signal, turn }: Loop,
  wakeUp: WakeUp,
): Promise<void> {
  const underWay = new Set<string>();
  const delays: Delays = new Map();
  const failed: unknown[] = [];
  while (!signal.aborted) {
    turn();
    for (const executionId of parts.agent.results.list()) {
      if (underWay.size >= mostAtOnce) break;
      const dueAtMs = delays.get(executionId)?.dueAtMs ?? 0;
      if (underWay.has(executionId) || dueAtMs > performance.now()) continue;
      underWay.add(executionId);
      const sent = parts.nextPoll.expect();
      void deliverOne(parts, executionId, { signal, sent })
        .then(() => void delays.delete(executionId))
        .catch((error: unknown) => {
          if (isForGood(error)) failed.push(error);
          else if (!signal.aborted) putOff(parts, delays, { executionId, error });
        })
        .finally(() => {
          sent();
          underWay.delete(executionId);
          wakeUp.wake();
        });
    }
    await wakeUp.wait(untilNext(delays), signal);
    if (failed.length > 0) throw failed.shift();
  }
}

/** The broker refuses the agent itself: that ends the loop. */
const isForGood = (error: unknown): boolean => error instanceof Refused;

type Failed = { readonly executionId: string; readonly error: unknown };

function putOff({ agent }: DeliverParts, delays: Delays, { executionId, error }: Failed): void {
  const { config, log } = agent;
  const failures = (delays.get(executionId)?.failures ?? 0) + 1;
  const limits = { fromMs: config.retryFrom, mostMs: config.retryMost };
  const asked = error instanceof Unanswered ? error.retryAfterMs : undefined;
  const waitMs = backoffMs(failures - 1, limits, asked);
  delays.set(executionId, { failures, dueAtMs: performance.now() + waitMs });
  const err = error instanceof Unanswered ? undefined : error;
  const told = { execution_id: executionId, why: (error as Error).message, failures, waitMs, err };
  log[failures === 1 ? "debug" : "warn"](told, "delivering a result failed; it is retried");
}

function untilNext(delays: Delays): number {
  const nowMs = performance.now();
  let waitMs = lookEveryMs;
  for (const { dueAtMs } of delays.values()) {
    if (dueAtMs > nowMs) waitMs = Math.min(waitMs, dueAtMs - nowMs);
  }
  return waitMs;
}

async function deliverOne(
  parts: DeliverParts,
  executionId: string,
  { signal, sent }: { readonly signal: AbortSignal; readonly sent: () => void },
): Promise<void> {
  const { results } = parts.agent;
  const read = await results.read(executionId);
  if (read === undefined) return;
  const spooled = parsePendingResult(read);
  if (spooled === undefined) return await results.setAside(executionId, "not a valid result");
  const delivery = { executionId, spooled, signal };
  try {
    // The result does not wait for the log; it names the last record, so that readers know that more follows.
    await parts.agent.shipping.drained(executionId, parts.agent.config.logWait);
    await goneSoon(parts, executionId);
    const carried = isSmall(spooled) ? await parts.nextPoll.take() : undefined;
    sent();
    await finish(parts, delivery, carried);
    parts.figures.delivered += 1;
    await results.remove(executionId);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await giveUp(parts, delivery, error);
  }
}

type Delivery = {
  readonly executionId: string;
  readonly spooled: PendingResult;
  readonly signal: AbortSignal;
};

/** A moment for what is left of the job to go, which frees its slot. */
async function goneSoon({ agent }: DeliverParts, executionId: string): Promise<void> {
  const job = agent.runningJobs.get(executionId);
  if (job !== undefined) await Promise.race([job.done, pause(mostGoingMs)]);
}

const mostGoingMs = 20;

/** A poll must not wait for an upload, nor keep a large result in memory while it is parked. */
const isSmall = (spooled: PendingResult): boolean =>
  textLengthOf(spooled) <= smallLength &&
  JSON.stringify(spooled.finish.outputs ?? null).length <= smallLength;

const smallLength = 64 * 1024;

/** An answer whose lines came so late and so close together was kept on the way until it was whole. */
const [promptMs, togetherMs] = [2_000, 50];

/** Resolves when the end is stored; the poll that it carries goes on. */
async function finish(
  { agent, nextPoll }: DeliverParts,
  { executionId, spooled, signal }: Delivery,
  carried?: CarriedPoll,
): Promise<void> {
  const stored = Promise.withResolvers<void>();
  const askedMs = performance.now();
  let storedMs: number | undefined;
  const onFirst = (): void => {
    storedMs = performance.now();
    stored.resolve();
  };
  const { claimWait, requestTimeout } = agent.config;
  const call = agent.client.call(
    finishExecutionRoute,
    {
      params: { job_id: spooled.job_id, execution_id: executionId },
      body: carried === undefined ? spooled.finish : { ...spooled.finish, claim: carried.claim },
      ...(carried !== undefined && { headers: { [processSecretHeader]: carried.secret } }),
    },
    {
      scope: "job",
      signal,
      isOnce: true,
      answer: answerSchema,
      timeoutMs: timeoutOf(requestTimeout, spooled),
      ...(carried !== undefined && {
        mostBytes: carried.mostBytes,
        secondLine: {
          onFirst,
          answer: z.looseObject({}),
          timeoutMs: claimWait + Math.min(graceMs, requestTimeout),
        },
      }),
    },
  );
  void call.then(
    ({ body }) => {
      const wereTogether = storedMs !== undefined && performance.now() - storedMs < togetherMs;
      if (wereTogether && performance.now() - askedMs > promptMs) nextPoll.rest();
      carried?.answered(storedMs === undefined ? undefined : body);
    },
    (error: unknown) => {
      const isUnheard = error instanceof SlowedDown && storedMs === undefined;
      if (isUnheard || error instanceof Refused) return carried?.answered(undefined);
      if (carried !== undefined && error instanceof TimedOut && storedMs === undefined)
        nextPoll.rest();
      carried?.failed(error);
    },
  );
  await Promise.race([stored.promise, call]);
}

/** A large result gets more time: one second for each megabyte. */
const timeoutOf = (requestTimeoutMs: number, spooled: PendingResult): number =>
  Math.min(longestSendMs, requestTimeoutMs + Math.ceil(textLengthOf(spooled) / 1000));

function textLengthOf({ finish: { result } }: PendingResult): number {
  const texts = [
    result?.contents_compressed,
    result?.contents_display_compressed,
    result?.contents_display,
    result?.contents,
  ];
  return texts.reduce<number>((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
}

/**
 * The broker has already ended this execution (it keeps the report as evidence), does not know it, or rejects the
 * content. In the last case a result without the content is reported, so that the job ends. The result is moved aside.
 */
async function giveUp(parts: DeliverParts, delivery: Delivery, refused: Refused): Promise<void> {
  const { executionId, spooled } = delivery;
  const { log, results } = parts.agent;
  const { what, status, code, message } = refused;
  if (what === "unauthorized" || what === "outdated") throw refused;
  parts.figures.refusedResults += 1;
  log.warn(
    { execution_id: executionId, status, code, why: message },
    "the broker refused a result",
  );
  if (what === "job-over") return await results.remove(executionId);
  const bare = { ...delivery, spooled: bareFailure(spooled, refused) };
  await finish(parts, bare).catch((error: unknown) => {
    if (!(error instanceof Refused)) throw error;
  });
  await results.setAside(executionId, `the broker refused it: ${status} ${code}`);
}

function bareFailure({ job_id, finish }: PendingResult, refused: Refused): PendingResult {
  const words = `The broker refused the result of this execution (status ${finish.status}): ${refused.message}`;
  const result: ResultInput = {
    success: false,
    error_code: 1,
    error_metadata: { reason: "result_refused", code: refused.code },
  };
  const { last_record } = finish;
  return { job_id, finish: { status: "failed", status_description: words, result, last_record } };
}
