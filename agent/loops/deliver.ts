import { z } from "zod";
import { finishExecutionRoute, type ResultInput } from "../../shared/api/report-executions.ts";
import { backoffMs } from "../client/backoff.ts";
import { Refused, Unanswered } from "../client/broker-errors.ts";
import { parsePendingResult, type PendingResult } from "../spool/result-outbox.ts";
import type { LoopFigures, LoopContext } from "./loop-context.ts";
import type { Loop } from "./loop-runner.ts";
import type { WakeUp } from "./wake-up.ts";

const answerSchema = z.looseObject({ execution: z.looseObject({ id: z.string() }) });
const mostAtOnce = 8;
const lookEveryMs = 30_000;
const longestSendMs = 5 * 60_000; // a result may have 64 MiB

type DeliverParts = Pick<LoopContext, "agent"> & {
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
      void deliverOne(parts, executionId, signal)
        .then(() => void delays.delete(executionId))
        .catch((error: unknown) => {
          if (isForGood(error)) failed.push(error);
          else if (!signal.aborted) putOff(parts, delays, { executionId, error });
        })
        .finally(() => {
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
  signal: AbortSignal,
): Promise<void> {
  const { results } = parts.agent;
  const read = await results.read(executionId);
  if (read === undefined) return;
  const spooled = parsePendingResult(read);
  if (spooled === undefined) return await results.setAside(executionId, "not a valid result");
  try {
    await finish(parts, executionId, { spooled, signal });
    parts.figures.delivered += 1;
    await results.remove(executionId);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    await giveUp(parts, executionId, { spooled, signal, refused: error });
  }
}

type Delivery = { readonly spooled: PendingResult; readonly signal: AbortSignal };

async function finish(
  { agent }: DeliverParts,
  executionId: string,
  { spooled, signal }: Delivery,
): Promise<void> {
  const params = { job_id: spooled.job_id, execution_id: executionId };
  // The result does not wait for the log; it names the last record, so that readers know that more follows.
  await agent.shipping.drained(executionId, agent.config.logWait);
  await agent.client.call(
    finishExecutionRoute,
    { params, body: spooled.finish },
    {
      scope: "job",
      signal,
      isOnce: true,
      answer: answerSchema,
      timeoutMs: timeoutOf(agent.config.requestTimeout, spooled),
    },
  );
}

/** A large result gets more time: one second for each megabyte. */
function timeoutOf(requestTimeoutMs: number, { finish: { result } }: PendingResult): number {
  const texts = [
    result?.contents_compressed,
    result?.contents_display_compressed,
    result?.contents,
  ];
  const length = texts.reduce((sum, text) => sum + (typeof text === "string" ? text.length : 0), 0);
  return Math.min(longestSendMs, requestTimeoutMs + Math.ceil(length / 1000));
}

/**
 * The broker has already ended this execution (it keeps the report as evidence), does not know it, or rejects the
 * content. In the last case a result without the content is reported, so that the job ends. The result is moved aside.
 */
async function giveUp(
  parts: DeliverParts,
  executionId: string,
  { spooled, signal, refused }: Delivery & { readonly refused: Refused },
): Promise<void> {
  const { log, results } = parts.agent;
  const { what, status, code, message } = refused;
  if (what === "unauthorized" || what === "outdated") throw refused;
  parts.figures.refusedResults += 1;
  log.warn(
    { execution_id: executionId, status, code, why: message },
    "the broker refused a result",
  );
  if (what === "job-over") return await results.remove(executionId);
  await finish(parts, executionId, { spooled: bareFailure(spooled, refused), signal }).catch(
    (error: unknown) => {
      if (!(error instanceof Refused)) throw error;
    },
  );
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
