import { LRUCache } from "lru-cache";

export type LaneParts<Item> = {
  readonly laneOf: (item: Item) => string;
  /** Settles all of them, which are of one lane; false when it waited in vain for a lock. */
  readonly deliver: (items: readonly Item[], lane: string) => Promise<boolean>;
  readonly max: number;
};

/**
 * Lanes for contended owners. After a lock timeout an owner gets a queue (lane) of its own for a while, so that the calls of
 * others, which shared its flush, do not wait for that lock again.
 */
export type Lanes<Item> = {
  /** Takes what has a lane of its own just now. */
  readonly take: (item: Item) => boolean;
  /** Gives each owner among them a lane and sends each its own. */
  readonly split: (items: readonly Item[]) => void;
};

const apartForMs = 10_000;
const mostApart = 1_000;

/** Lanes of one gatherer; in each, one flush is under way at a time. */
export function makeLanes<Item>({ laneOf, deliver, max }: LaneParts<Item>): Lanes<Item> {
  const apart = new LRUCache<string, true>({ max: mostApart, ttl: apartForMs });
  const waiting = new Map<string, Item[]>();
  const moving = new Set<string>();

  function push(lane: string, item: Item): void {
    const items = waiting.get(lane);
    if (items === undefined) waiting.set(lane, [item]);
    else items.push(item);
  }

  async function move(lane: string): Promise<void> {
    if (moving.has(lane)) return;
    moving.add(lane);
    for (;;) {
      const items = waiting.get(lane) ?? [];
      if (items.length === 0) break;
      if (await deliver(items.splice(0, max), lane)) apart.delete(lane);
      else apart.set(lane, true);
    }
    waiting.delete(lane);
    moving.delete(lane);
  }

  return {
    take(item) {
      if (apart.size === 0 && moving.size === 0) return false;
      const lane = laneOf(item);
      if (!apart.has(lane) && !moving.has(lane)) return false;
      push(lane, item);
      void move(lane);
      return true;
    },
    split(items) {
      const lanes = new Set(items.map(laneOf));
      for (const lane of lanes) apart.set(lane, true);
      for (const item of items) push(laneOf(item), item);
      for (const lane of lanes) void move(lane);
    },
  };
}
