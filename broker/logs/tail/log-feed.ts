import { setMaxListeners } from "node:events";
import { makePoller } from "../../clocks/poller.ts";
import type { Db } from "../../database/connect.ts";
import type { Log } from "../../log.ts";
import type { OrgId } from "../../orgs/org-id.ts";
import { topics, type Wakes } from "../../wake/wakes.ts";
import { type LogBatch, readForward } from "../read/read-forward.ts";
import { findLogStream } from "../store/queries.ts";
import type { LogStream } from "../store/row.ts";
import { makeGapHold } from "./gap-hold.ts";
import { makeRing } from "./ring.ts";

/** One stream that is followed at this broker. */
export type FollowedStream = {
  /** The stream's last known state; undefined after it was deleted. */
  readonly stream: () => LogStream | undefined;
  /** All records before this position were read, here or before the first follower came. */
  readonly upto: () => number;
  /** The stream is closed, and all of it was read. */
  readonly isEnded: () => boolean;
  /** The records at this position, if they are still in the ring. */
  readonly take: (from: number) => LogBatch | undefined;
  /** Calls back at each change, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
  readonly leave: () => void;
};

/** One reader per stream and broker for all its followers: the database is asked once for all of them. */
export type LogFeed = {
  readonly follow: (org: OrgId, stream: LogStream) => FollowedStream;
  /** Aborts when this broker drains. */
  readonly draining: AbortSignal;
  readonly drain: () => void;
  /** The number of followers, over all streams. */
  readonly followers: () => number;
};

type FeedParts = { readonly db: Db; readonly wakes: Wakes; readonly log: Log };

/** A wake-up may be lost, and a timeout may close a stream. While nothing happens, the interval between reads grows. */
const fallbackMs = { first: 1500, longest: 5000 };
/** The shortest time between two reads, so that small writes are read together. */
const restMs = 15;
/** How soon to read again for late records. */
const gapLookMs = 100;

/** The feed of one broker; a stream is read only while somebody follows it. */
export function makeLogFeed(parts: FeedParts): LogFeed {
  const readers = new Map<string, Reader>();
  const drained = new AbortController();
  setMaxListeners(0, drained.signal);
  let followers = 0;

  function follow(org: OrgId, stream: LogStream): FollowedStream {
    const reader = readers.get(stream.id) ?? startReader(parts, org, stream);
    readers.set(stream.id, reader);
    reader.followers += 1;
    followers += 1;
    let isHere = true;
    const leave = (): void => {
      if (!isHere) return;
      isHere = false;
      followers -= 1;
      reader.followers -= 1;
      if (reader.followers > 0) return;
      reader.stop();
      if (readers.get(stream.id) === reader) readers.delete(stream.id);
    };
    return { ...reader.followed, leave };
  }

  return {
    follow,
    draining: drained.signal,
    drain: () => drained.abort(),
    followers: () => followers,
  };
}

type Reader = {
  followers: number;
  readonly followed: Omit<FollowedStream, "leave">;
  readonly stop: () => void;
};

function startReader({ db, wakes, log }: FeedParts, org: OrgId, found: LogStream): Reader {
  const listeners = new Set<() => void>();
  const ring = makeRing(found.next_position);
  const gaps = makeGapHold(found.next_position);
  let stream: LogStream | undefined = found;
  let quietMs = fallbackMs.first;

  const poller = makePoller({ look, onError, restMs, fallbackMs: fallbackMs.first });
  const unsubscribe = wakes.subscribe(topics.logs(found.id), poller.ask);
  poller.start();
  poller.ask(); // written between the query of the stream and the subscription

  /** Reads on, and answers when to look again. */
  async function look(): Promise<number> {
    const now = await findLogStream(db, org, found.id);
    if (now === undefined) {
      stream = undefined;
      tell();
      return fallbackMs.longest;
    }
    stream = now;
    gaps.saw(now.next_position);
    const from = ring.upto();
    for await (const batch of readForward(db, org, now, { from, filter: {} })) {
      if (gaps.holds(batch)) return gapLookMs;
      ring.add(batch);
      tell();
    }
    if (!now.is_open) tell();
    const isQuiet = ring.upto() === from;
    quietMs = isQuiet ? Math.min(quietMs * 1.5, fallbackMs.longest) : fallbackMs.first;
    return quietMs;
  }

  function tell(): void {
    for (const listener of listeners) listener();
  }

  function onError(error: unknown): void {
    log.warn({ err: error, log_stream_id: found.id }, "could not read a log stream; retrying");
  }

  return {
    followers: 0,
    followed: {
      stream: () => stream,
      upto: ring.upto,
      isEnded: () => stream?.is_open !== true && ring.upto() >= (stream?.next_position ?? 0),
      take: ring.take,
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    stop: () => {
      unsubscribe();
      poller.stop();
    },
  };
}
