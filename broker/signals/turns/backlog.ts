import { LRUCache } from "lru-cache";
import { repeat } from "../../clocks/repeat.ts";
import { makeBatcher } from "../../database/batcher.ts";
import type { Db } from "../../database/connect.ts";
import type { Log } from "../../log.ts";
import {
  listBacklogLines,
  type PutOffCallback,
  putOffCallbacks,
  putOffTurns,
  takeBacklog,
  type TakenTurn,
} from "./backlog-queries.ts";
import type { PutOff, TurnLease } from "./turn.ts";
import type { TurnOwner } from "./turns.ts";

/** The turns and callbacks of all orgs that wait in the database until a broker has room for them. */
export type Backlog = {
  readonly putOffTurn: (owner: TurnOwner) => PutOff<TurnLease>;
  readonly putOffCallback: (owner: TurnOwner) => PutOff<PutOffCallback>;
  /** Takes more of an owner, if some is known to wait. */
  readonly refill: (owner: TurnOwner) => void;
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly db: Db;
  readonly log: Log;
  readonly roomFor: (owner: TurnOwner) => number;
  readonly hand: (owner: TurnOwner, taken: TakenTurn) => void;
};

/** A look costs an index's look-up for each line. */
const everyMs = 1000;
const mostLines = 200;
const mostTogether = 200;
const mostKnown = 10_000;

/**
 * Takes work from the backlog in batches, as much as there is room for: when a place is free of whose owner nothing more waits
 * here, and at looks, which also find what other brokers left. However long a line is, what waits in it costs nothing.
 */
export function startBacklog({ db, log, roomFor, hand }: Parts): Backlog {
  const stopped = new AbortController();
  const known = new LRUCache<string, TurnOwner>({ max: mostKnown });
  const resting = new LRUCache<string, true>({ max: mostKnown });
  const taking = new Map<string, Promise<void>>();
  let after: TurnOwner | undefined;
  const turns = batched((leases: readonly TurnLease[]) => putOffTurns(db, leases));
  const callbacks = batched((tries: readonly PutOffCallback[]) => putOffCallbacks(db, tries));

  function refill(owner: TurnOwner): Promise<void> {
    const key = keyOf(owner);
    const isFree = known.has(key) && !resting.has(key) && !taking.has(key);
    if (!isFree || stopped.signal.aborted || roomFor(owner) === 0) return Promise.resolve();
    const taken = take(owner).finally(() => taking.delete(key));
    taking.set(key, taken);
    return taken;
  }

  async function take(owner: TurnOwner): Promise<void> {
    const most = roomFor(owner);
    known.delete(keyOf(owner));
    const taken = await takeBacklog(db, owner, most);
    if (taken.length === most) known.set(keyOf(owner), owner);
    for (const one of taken) hand(owner, one);
  }

  async function look(): Promise<void> {
    const lines = await listBacklogLines(db, after, mostLines);
    after = lines.length < mostLines ? undefined : lines.at(-1);
    for (const line of lines) {
      known.set(keyOf(line), line);
      await refill(line);
    }
  }

  const looking = repeat({ signal: stopped.signal, log }, "turn backlog", everyMs, look);
  const onError = (error: unknown): void =>
    log.warn({ err: error }, "could not take signals from the backlog; the next look will");
  const putOff =
    <Item>(store: (item: Item) => Promise<unknown>) =>
    (owner: TurnOwner): PutOff<Item> =>
    async (item, restMs) => {
      if (restMs > 0) resting.set(keyOf(owner), true, { ttl: restMs });
      await store(item);
      known.set(keyOf(owner), owner);
    };
  return {
    putOffTurn: putOff(turns),
    putOffCallback: putOff(callbacks),
    refill: (owner) => void refill(owner).catch(onError),
    stop: async () => {
      stopped.abort();
      await looking;
      await Promise.allSettled(taking.values());
    },
  };
}

const keyOf = ({ orgId, type }: TurnOwner): string => `${orgId} ${type}`;

function batched<Item>(store: (items: readonly Item[]) => Promise<void>) {
  return makeBatcher(
    async (items: readonly Item[]) => {
      await store(items);
      return items.map(() => true);
    },
    { max: mostTogether },
  );
}
