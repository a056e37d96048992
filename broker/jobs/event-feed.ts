import { setMaxListeners } from "node:events";
import { isFinal } from "../../shared/runner-job.ts";
import { makePoller } from "../clocks/poller.ts";
import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import type { EventPosition } from "./event-position.ts";
import { findPresentPosition, type JobEventRow, listEvents } from "./event-queries.ts";

/** The result of one read. */
export type HeardEvents = {
  /** Events whose order is final, each once. */
  readonly settled: readonly JobEventRow[];
  /** The position of the last settled event. */
  readonly upto: EventPosition;
  /** Jobs that have ended, settled or not; repeated until they are settled. */
  readonly ended: ReadonlySet<string>;
};
type Listener = (heard: HeardEvents) => void;

/** One reader per org and broker for all who wait here for the org's job events. */
export type EventFeed = {
  /**
   * Delivers every event that settles after this call resolved; a query that begins then sees all
   * earlier ones. Ends when the returned function is called.
   */
  readonly subscribe: (org: OrgId, listener: Listener) => Promise<() => void>;
  /** Aborts when this broker drains: parked requests are answered at once. */
  readonly draining: AbortSignal;
  readonly drain: () => void;
  readonly readers: () => number;
};

type FeedParts = { readonly db: Db; readonly wakes: Wakes; readonly log: Log };

const pageRows = 1000;
/** A wake-up may be lost. */
const fallbackMs = 1500;
/** The shortest time between two reads, so that a busy org's events are read together. */
const restMs = 5;
/** While an open transaction holds events back, the interval between reads grows. */
const settleMs = { first: 10, longest: 250 };

/** The feed of one broker; readers run only while somebody listens. */
export function makeEventFeed(parts: FeedParts): EventFeed {
  const readers = new Map<OrgId, Reader>();
  const drained = new AbortController();
  setMaxListeners(0, drained.signal);

  async function subscribe(org: OrgId, listener: Listener): Promise<() => void> {
    const reader = readers.get(org) ?? startReader(parts, org);
    readers.set(org, reader);
    reader.listeners.add(listener);
    const leave = (): void => {
      if (!reader.listeners.delete(listener) || reader.listeners.size > 0) return;
      reader.stop();
      if (readers.get(org) === reader) readers.delete(org);
    };
    try {
      await reader.isReady;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  return {
    subscribe,
    draining: drained.signal,
    drain: () => drained.abort(),
    readers: () => readers.size,
  };
}

type Reader = {
  readonly listeners: Set<Listener>;
  readonly isReady: Promise<void>;
  readonly stop: () => void;
};

function startReader({ db, wakes, log }: FeedParts, org: OrgId): Reader {
  const listeners = new Set<Listener>();
  let position: EventPosition | undefined;
  let holdMs = settleMs.first;

  const poller = makePoller({ look: readOn, onError, restMs, fallbackMs });
  // Subscribed before the position is read, so that no event is missed in between.
  const unsubscribe = wakes.subscribe(topics.org(org), poller.ask);
  const isReady = findPresentPosition(db).then((present) => {
    position = present;
    poller.start();
  });

  /** Delivers what is new, and returns when to read again. */
  async function readOn(): Promise<number> {
    if (position === undefined) return fallbackMs;
    const rows = await listEvents(db, org, position, pageRows);
    const settled = rows.filter((row) => row.is_settled);
    const last = settled.at(-1);
    if (last !== undefined) position = { tx: BigInt(last.tx), seq: last.seq };
    const ends = rows.filter(({ to_status: status }) => isFinal(status));
    const ended = new Set(ends.map((row) => row.runner_job_id));
    for (const listener of listeners) listener({ settled, upto: position, ended });
    if (settled.length === pageRows) return 0;
    const isHeld = rows.length > settled.length;
    holdMs = isHeld ? Math.min(holdMs * 2, settleMs.longest) : settleMs.first;
    return isHeld ? holdMs : fallbackMs;
  }

  function onError(error: unknown): void {
    log.warn({ err: error, org_id: org }, "could not read job events; retrying");
  }

  function stop(): void {
    unsubscribe();
    poller.stop();
  }

  return { listeners, isReady, stop };
}
