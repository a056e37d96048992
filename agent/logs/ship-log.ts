import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { zlibStep } from "../../shared/zlib-step.ts";
import { type BackoffLimits, backoffMs } from "../client/backoff.ts";
import { pause } from "../client/pause.ts";
import type { Log } from "../log.ts";
import type { LogBatch } from "../spool/log-batch.ts";
import type { LogSpool } from "../spool/log-spool.ts";
import type { LogIdentity } from "../spool/stream-file.ts";
import { droppedNotices } from "./dropped-notices.ts";
import type { LogClock, LogSkew } from "./log-clock.ts";
import type { LogAnswer, SendLogs } from "./log-request.ts";
import { moveTimes, requestHead } from "./otlp-records.ts";

export type Shipment = {
  readonly spool: LogSpool;
  /** Runs the action when it is this log's turn. */
  readonly inTurn: <T>(act: () => Promise<T>) => Promise<T>;
  readonly send: SendLogs;
  readonly clock: LogClock;
  readonly log: Log;
  readonly limits: BackoffLimits;
  readonly signal: AbortSignal;
  readonly onAnswer: (spool: LogSpool, flow: LogFlow) => void;
  readonly onDoubt: (executionId: string) => void;
};

/** How sending a log goes: accepted, slowed down, or no broker accepts it. */
export type LogFlow = "taken" | "slowed" | "away";

const mostBytes = 1024 * 1024;
/** After this many refused records in a row, the records are not the reason. */
const mostRefusals = 20;
const compress = promisify(gzip);

type Prepared = { readonly batch: LogBatch; readonly body: Buffer };

/** Sends a log's lines in order until none waits (true), or the signal aborts. Retries without end. */
export async function shipLog(shipment: Shipment): Promise<boolean> {
  const { spool, signal, limits, onAnswer } = shipment;
  let bytes = mostBytes;
  let failures = 0;
  let refusals = 0;
  let ahead: Prepared | undefined;
  for (;;) {
    const prepared = ahead ?? (await prepare(shipment, await spool.next(bytes)));
    if (prepared === undefined || signal.aborted) return prepared === undefined;
    const { batch } = prepared;
    const sending = attempt(shipment, prepared);
    // The next batch is read and compressed while one is being sent.
    const following = await prepareFollowing(shipment, batch, bytes);
    const answer = await sending;
    ahead = answer.kind === "stored" ? following : undefined;
    if (answer.kind === "later" || answer.kind === "slower") {
      onAnswer(spool, answer.kind === "slower" ? "slowed" : "away");
      await pause(backoffMs(failures++, limits, answer.afterMs), signal);
      continue;
    }
    failures = 0;
    if (answer.kind === "stored") {
      tellRefused(shipment, answer);
      spool.pass(batch);
      [bytes, refusals] = [Math.min(mostBytes, bytes * 2), 0];
    } else if (answer.kind === "over") {
      shipment.onDoubt(spool.identity.executionId);
      giveUp(shipment, "the broker accepts no more records of this log");
    } else if (batch.count > 1) {
      bytes = Math.ceil(sizeOf(batch) / 2);
    } else {
      skip(shipment, batch, answer);
      if (++refusals >= mostRefusals) giveUp(shipment, "the broker refuses every record");
    }
    onAnswer(spool, "taken");
  }
}

async function prepare(
  { spool, clock }: Shipment,
  batch: LogBatch | undefined,
): Promise<Prepared | undefined> {
  if (batch === undefined) return undefined;
  return { batch, body: await toBody(spool.identity, batch, clock.skewOf(spool)) };
}

async function prepareFollowing(
  shipment: Shipment,
  batch: LogBatch,
  bytes: number,
): Promise<Prepared | undefined> {
  try {
    return await prepare(shipment, await shipment.spool.following(batch, bytes));
  } catch {
    return undefined; // it is read again at its turn, which throws the error then
  }
}

async function attempt(
  { spool, inTurn, send, signal, log }: Shipment,
  { body }: Prepared,
): Promise<LogAnswer> {
  const { executionId, streamId } = spool.identity;
  try {
    return await inTurn(() => send({ executionId, streamId, body }, signal));
  } catch (error) {
    if (!signal.aborted)
      log.debug({ err: error, execution_id: executionId }, "sending a log failed; it is retried");
    return { kind: "later" };
  }
}

/** Times on disk are the host's; they are converted here, when the broker's clock is known best. */
function toBody(identity: LogIdentity, batch: LogBatch, skew: LogSkew): Promise<Buffer> {
  const records = [...droppedNotices(identity, batch), ...batch.records];
  const length = records.reduce((sum, record) => sum + record.length, 0);
  const resource = {
    ...identity.attributes,
    "log_stream.id": identity.streamId,
    ...skew.attributes,
  };
  const head = requestHead(resource, length);
  const request = Buffer.concat([head, ...records]);
  if (skew.aheadMs !== 0) moveTimes(request.subarray(head.length), skew.aheadMs);
  // Fastest compression: logs shrink five- to tenfold, and more effort costs more than it saves.
  return compress(request, { level: 1, chunkSize: zlibStep(length / 4) });
}

const sizeOf = ({ records }: LogBatch): number =>
  records.reduce((sum, { length }) => sum + length, 0);

function tellRefused(
  { spool, log, onDoubt }: Shipment,
  { why, isOver }: Extract<LogAnswer, { kind: "stored" }>,
): void {
  const { executionId } = spool.identity;
  if (why !== undefined || isOver === true) onDoubt(executionId);
  if (why === undefined) return;
  log.warn({ execution_id: executionId, why }, "the broker refused part of a log");
}

/** The number stays unused, so that readers see that something is missing. */
function skip({ spool, log }: Shipment, batch: LogBatch, answer: LogAnswer): void {
  const why = answer.kind === "refused" ? answer.why : "the record is too large";
  const { executionId } = spool.identity;
  log.warn(
    { execution_id: executionId, record: batch.firstSeq, why },
    "the broker refused a log line",
  );
  spool.pass(batch);
}

function giveUp({ spool, log }: Shipment, why: string): void {
  log.info({ execution_id: spool.identity.executionId, why }, "a log is not sent any further");
  spool.giveUp();
}
