import { setMaxListeners } from "node:events";
import { makePoller } from "../clocks/poller.ts";
import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Topic, Wakes } from "../wake/wakes.ts";
import type { FeedPosition } from "./feed-position.ts";
import { findPresentPosition } from "./present-position.ts";

/** What every feed reads of a row. */
export type FeedRow = {
  readonly tx: string;
  readonly n: number;
  /** No transaction that is still open can write a row before this one. */
  readonly is_settled: boolean;
};

/** Whose rows a feed reads, and what tells that there are new ones. */
export type FeedSource<Row extends FeedRow, Item> = {
  readonly what: string;
  readonly topic: (org: OrgId) => Topic;
  /** The org's rows after a position, in order; the settled ones stand first. */
  readonly list: (db: Db, org: OrgId, after: FeedPosition, limit: number) => Promise<Row[]>;
  /** What is told of all rows of a read, settled or not; repeated until they are settled. */
  readonly tell: (rows: readonly Row[]) => Item;
};

/** The result of one read. */
type Heard<Row, Item> = {
  /** Rows whose order is final, each once. */
  readonly settled: readonly Row[];
  /** The position of the last settled row. */
  readonly upto: FeedPosition;
  readonly told: Item;
};
type Listener<Row, Item> = (heard: Heard<Row, Item>) => void;

/** One reader per org and broker for all who wait here for the org's rows of one kind. */
export type Feed<Row extends FeedRow, Item> = {
  readonly source: FeedSource<Row, Item>;
  /**
   * Delivers every row that settles after this call resolved; a query that begins then sees all
   * earlier ones. Ends when the returned function is called.
   */
  readonly subscribe: (org: OrgId, listener: Listener<Row, Item>) => Promise<() => void>;
  /** Aborts when this broker drains: parked requests are answered at once. */
  readonly draining: AbortSignal;
  readonly drain: () => void;
  readonly readers: () => number;
};

/** What a feed needs of its broker. */
export type FeedParts = { readonly db: Db; readonly wakes: Wakes; readonly log: Log };

/** A feed reads so many rows at once. */
export const feedPageRows = 1000;
/** A wake-up may be lost. */
const fallbackMs = 1500;
/** The shortest time between two reads, so that a busy org's rows are read together. */
const restMs = 5;
/** While an open transaction holds rows back, the interval between reads grows. */
const settleMs = { first: 10, longest: 250 };

/** The feed of one broker; readers run only while somebody listens. */
export function makeFeed<Row extends FeedRow, Item>(
  parts: FeedParts,
  source: FeedSource<Row, Item>,
): Feed<Row, Item> {
  const readers = new Map<OrgId, Reader<Row, Item>>();
  const drained = new AbortController();
  setMaxListeners(0, drained.signal);

  async function subscribe(org: OrgId, listener: Listener<Row, Item>): Promise<() => void> {
    const reader = readers.get(org) ?? startReader(parts, source, org);
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
    source,
    subscribe,
    draining: drained.signal,
    drain: () => drained.abort(),
    readers: () => readers.size,
  };
}

type Reader<Row, Item> = {
  readonly listeners: Set<Listener<Row, Item>>;
  readonly isReady: Promise<void>;
  readonly stop: () => void;
};

function startReader<Row extends FeedRow, Item>(
  { db, wakes, log }: FeedParts,
  { what, topic, list, tell }: FeedSource<Row, Item>,
  org: OrgId,
): Reader<Row, Item> {
  const listeners = new Set<Listener<Row, Item>>();
  let position: FeedPosition | undefined;
  let holdMs = settleMs.first;

  const poller = makePoller({ look: readOn, onError, restMs, fallbackMs });
  // Subscribed before the position is read, so that nothing is missed in between.
  const unsubscribe = wakes.subscribe(topic(org), poller.ask);
  const isReady = findPresentPosition(db).then((present) => {
    position = present;
    poller.start();
  });

  /** Delivers what is new, and returns when to read again. */
  async function readOn(): Promise<number> {
    if (position === undefined) return fallbackMs;
    const rows = await list(db, org, position, feedPageRows);
    const settled = rows.filter((row) => row.is_settled);
    const last = settled.at(-1);
    if (last !== undefined) position = { tx: BigInt(last.tx), n: last.n };
    const told = tell(rows);
    for (const listener of listeners) listener({ settled, upto: position, told });
    if (settled.length === feedPageRows) return 0;
    const isHeld = rows.length > settled.length;
    holdMs = isHeld ? Math.min(holdMs * 2, settleMs.longest) : settleMs.first;
    return isHeld ? holdMs : fallbackMs;
  }

  function onError(error: unknown): void {
    log.warn({ err: error, org_id: org }, `could not read ${what}; retrying`);
  }

  function stop(): void {
    unsubscribe();
    poller.stop();
  }

  return { listeners, isReady, stop };
}
