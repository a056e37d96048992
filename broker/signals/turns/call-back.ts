import { parseExactly } from "../../../shared/parse-exactly.ts";
import { Problem } from "../../../shared/problem.ts";
import { httpCallSchema, signalTypes } from "../../../shared/signal-types.ts";
import { requireTargetsStill } from "../require-targets.ts";
import { toSignalContext } from "../to-queue-signal.ts";
import { afterRefusal } from "./after-refusal.ts";
import { makeCall, toOutcome } from "./http-call.ts";
import {
  beginCallback,
  type CallbackRow,
  type CallbackTry,
  type Settled,
  settleCallback,
} from "./queries.ts";
import { enqueueFor } from "./runner-job.ts";
import { sayIssues } from "./say-issues.ts";
import type { PutOff, TurnOutcome, TurnParts } from "./turn.ts";
import { untilAnswered } from "./until-answered.ts";

const mostTries = 12;
const firstDelayMs = 10_000;
const longestDelayMs = 3_600_000;

/**
 * Makes the next try of a callback that is a runner job or an HTTP call. It is done, or failed with the reason once it cannot
 * be done or was tried twelve times over two hours and more; until then it is tried again. What was put off was no try; one that is
 * lost was one, and is made again.
 */
export async function callBack(
  parts: TurnParts,
  next: CallbackTry,
  { stopped, putOff }: { readonly stopped: AbortSignal; readonly putOff: PutOff<CallbackTry> },
): Promise<void> {
  const { db } = parts;
  const row = await untilAnswered(stopped, () => beginCallback(db, next));
  if (row === undefined) return;
  const begun = { ...next, begins: row.begins };
  const outcome = await tried(parts, { ...next, row, signal: stopped });
  if (outcome.event === "left") return; // the broker stops: its clock has it tried again
  if (outcome.event === "put-off") {
    await untilAnswered(stopped, () => putOff(begun, outcome.afterMs));
    return;
  }
  const settled = toSettled(outcome, row.tries);
  await untilAnswered(stopped, () => settleCallback(db, begun, settled));
}

type Trying = CallbackTry & { readonly row: CallbackRow; readonly signal: AbortSignal };

async function tried(parts: TurnParts, trying: Trying): Promise<TurnOutcome> {
  const { orgId, row, signalId } = trying;
  try {
    const thing = { orgId, id: row.next_id, part: "callback" };
    const text = parts.seals
      .open(thing, { keyId: row.key_id, bytes: row.contents })
      .toString("utf8");
    return row.kind === "http-call"
      ? await call(parts, trying, text)
      : await enqueue(parts, trying, text);
  } catch (error) {
    if (error instanceof Problem) return afterRefusal(error);
    parts.log.error({ err: error, signal_id: signalId }, "a callback could not be made");
    return { event: "fail", description: "the broker could not make it: see its log" };
  }
}

async function call(parts: TurnParts, trying: Trying, text: string): Promise<TurnOutcome> {
  const { row } = trying;
  const read = httpCallSchema.safeParse(parseExactly(text));
  if (!read.success) return { event: "give-up", description: sayIssues(read.error) };
  const hasBody = read.data.method !== "GET" && read.data.method !== "HEAD";
  const outcome = await makeCall(parts, trying, {
    id: row.next_id,
    call: read.data,
    type: "application/json",
    ...(hasBody && { text: JSON.stringify(bodyOf(parts, trying, read.data.body)) }),
  });
  return toOutcome(outcome);
}

/** What the receiver is told: the signal, how it ended, its result, and what the callback brought along. */
function bodyOf({ seals }: TurnParts, { orgId, signalId, row }: Trying, data: unknown) {
  const result =
    row.result &&
    seals.open(
      { orgId, id: signalId, part: "signal-result" },
      { keyId: row.result_key_id, bytes: row.result },
    );
  return {
    signal: {
      id: signalId,
      type: row.type,
      queue_id: row.queue_id,
      owner_id: row.owner_id,
      owner_type: row.owner_type,
      signal_context: toSignalContext(row),
      execution_count: row.execution_count,
    },
    status: row.status,
    status_description: row.status_description,
    result: result === null ? null : parseExactly(result.toString("utf8")),
    finished_at: row.finished_at.toISOString(),
    ...(data !== undefined && { data }),
  };
}

async function enqueue(parts: TurnParts, trying: Trying, text: string): Promise<TurnOutcome> {
  const { orgId, signalId, n, row } = trying;
  const read = signalTypes["runner-job"].schema.safeParse(parseExactly(text));
  if (!read.success) return { event: "give-up", description: sayIssues(read.error) };
  const filer = { orgId, actorId: row.created_by_id };
  await requireTargetsStill(parts, filer, { type: "runner-job", value: read.data });
  const jobId = await enqueueFor(parts, filer, {
    contents: read.data,
    text,
    key: `callback ${signalId} ${n}`,
    metadata: { signal_id: signalId, signal_status: row.status },
  });
  return { event: "finish", result: { job_id: jobId } };
}

/** What is written of a callback after so many tries; another one is never made before its back-off, whatever was answered. */
export function toSettled(
  outcome: Exclude<TurnOutcome, { event: "left" | "put-off" }>,
  tries: number,
): Settled {
  if (outcome.event === "await-job") throw new Error("a callback waits for no job");
  if (outcome.event === "finish") return { status: "done", description: done(outcome.result) };
  const { event, description, retryInMs } = outcome;
  if (event === "give-up") return { status: "failed", description };
  if (tries >= mostTries) {
    return { status: "failed", description: `${description} (tried ${tries} times)` };
  }
  const delayMs = Math.min(firstDelayMs * 2 ** (tries - 1), longestDelayMs);
  return { status: "again", description, afterMs: Math.max(retryInMs ?? 0, delayMs) };
}

function done(result: Readonly<Record<string, unknown>> | undefined): string {
  const jobId = result?.["job_id"];
  return typeof jobId === "string" ? `it enqueued ${jobId}` : "";
}
