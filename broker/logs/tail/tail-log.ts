import type { Db } from "../../database/connect.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { isAskedFor, isOpenFilter, type LogFilter } from "../read/log-filter.ts";
import { type LogBatch, readForward } from "../read/read-forward.ts";
import type { LogStream } from "../store/row.ts";
import type { FollowedStream, LogFeed } from "./log-feed.ts";

/** The next step of a follower, and the cursor after it. */
export type TailStep = {
  readonly kind: "records" | "idle" | "end" | "drain";
  readonly batch: LogBatch;
};

export type Tailing = {
  readonly from: number;
  readonly filter: LogFilter;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
  /** After this time without records, a follower gets a keep-alive with the current cursor; 15 s by default. */
  readonly idleMs?: number;
};

const usualIdleMs = 15_000;

/**
 * A stream's records as they arrive, until it is closed and all were sent. It is as fast as its reader: what the
 * reader does not take in time is read from the database again, so a slow reader costs no memory.
 */
export async function* tailLog(
  parts: TailParts,
  org: OrgId,
  found: LogStream,
  tailing: Tailing,
): AsyncGenerator<TailStep, void> {
  const followed = parts.feed.follow(org, found);
  try {
    yield* steps({ ...parts, org, followed }, tailing);
  } finally {
    followed.leave();
  }
}

type TailParts = { readonly db: Db; readonly feed: LogFeed };
type Follower = TailParts & { readonly org: OrgId; readonly followed: FollowedStream };

async function* steps(
  follower: Follower,
  { from, filter, signal, idleMs = usualIdleMs }: Tailing,
): AsyncGenerator<TailStep, void> {
  const { followed, feed } = follower;
  const signals = [signal, feed.draining];
  let next = from;
  let toldAtMs = performance.now();
  const silenceLeftMs = (): number => toldAtMs + idleMs - performance.now();
  const without = (kind: TailStep["kind"]): TailStep => ({
    kind,
    batch: { records: [], next, bytes: 0 },
  });
  while (!signal.aborted) {
    if (feed.draining.aborted) {
      yield without("drain");
      return;
    }
    const before = next;
    for await (const batch of readReady(follower, next, filter)) {
      next = batch.next;
      const isHeard = batch.records.length > 0;
      if (isHeard || silenceLeftMs() <= 0) {
        yield isHeard ? { kind: "records", batch } : without("idle");
        toldAtMs = performance.now();
      }
      if (signals.some(({ aborted }) => aborted)) break;
    }
    if (next > before) continue;
    if (followed.isEnded()) {
      yield without("end");
      return;
    }
    if (!(await isIdle(followed, signals, silenceLeftMs()))) continue;
    yield without("idle");
    toldAtMs = performance.now();
  }
}

/** The records to send now: from the ring or, for a follower that is behind, from the database. */
async function* readReady(
  { db, org, followed }: Follower,
  from: number,
  filter: LogFilter,
): AsyncGenerator<LogBatch> {
  const heard = followed.take(from);
  const stream = followed.stream();
  const before = followed.upto();
  if (heard !== undefined) yield narrowed(heard, filter);
  else if (stream !== undefined && from < before) {
    yield* readForward(db, org, stream, { from, before, filter });
  }
}

/** The same batch object when nothing is filtered, so that its encoding can be reused. */
function narrowed(batch: LogBatch, filter: LogFilter): LogBatch {
  if (isOpenFilter(filter)) return batch;
  const asked = batch.records.filter(
    (record) => record.notice === undefined && isAskedFor(record, filter),
  );
  return { ...batch, records: asked };
}

/** Waits for a change; true when none came in time. */
function isIdle(
  followed: FollowedStream,
  signals: readonly AbortSignal[],
  forMs: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => end(true), Math.max(0, forMs));
    const wake = (): void => end(false);
    const unlisten = followed.onChange(wake);
    for (const signal of signals) signal.addEventListener("abort", wake);
    if (signals.some(({ aborted }) => aborted)) wake();

    function end(isOver: boolean): void {
      clearTimeout(timer);
      unlisten();
      for (const signal of signals) signal.removeEventListener("abort", wake);
      resolve(isOver);
    }
  });
}
