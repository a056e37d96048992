import { isLockTimeout, isRefusal } from "./database-errors.ts";
import { settleWithin } from "./driver-workarounds.ts";
import { type Lanes, makeLanes } from "./lanes.ts";

type Flush<In, Out> = (items: readonly In[]) => Promise<readonly (Out | Error)[]>;

export type BatcherOptions<In, Out> = {
  /** The most items that travel in one flush. */
  readonly max: number;
  /** About how many bytes an item carries; one flush carries `maxBytes` of them, or one item that is larger. */
  readonly bytesOf?: (item: In) => number;
  readonly maxBytes?: number;
  /** The least time between the starts of two flushes; by default 0. */
  readonly delayMs?: number;
  /** Whose an item is, and how the items of one owner are flushed when their locks hold the others up. */
  readonly separate?: {
    readonly ownerOf: (item: In) => string;
    readonly flush: (items: readonly In[], owner: string) => ReturnType<Flush<In, Out>>;
  };
};

type Waiting<In, Out> = {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Lets calls that arrive together share a flush. A single call goes at once; calls that arrive while a
 * flush is in progress share the next one, in order. `flush` returns one result for each item, in the items'
 * order; an `Error` among them rejects that one call, a rejected flush rejects all of its calls. Where the database
 * refused what it was given, nothing of it happened: each call is then tried alone, and only the refused one fails.
 * After a lock timeout nothing happened either: each owner's calls are then tried separately.
 */
export function makeBatcher<In, Out>(
  flush: Flush<In, Out>,
  { max, delayMs = 0, bytesOf = () => 0, maxBytes = Infinity, separate }: BatcherOptions<In, Out>,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let isScheduled = false;
  let lastStartMs = -Infinity;
  const lanes: Lanes<Waiting<In, Out>> | undefined =
    separate &&
    makeLanes<Waiting<In, Out>>({
      max,
      laneOf: ({ item }) => separate.ownerOf(item),
      deliver: (items, owner) => deliver((sent) => separate.flush(sent, owner), items),
    });

  return (item) =>
    new Promise((resolve, reject) => {
      const one = { item, resolve, reject };
      if (lanes?.take(one) === true) return;
      waiting.push(one);
      if (!isScheduled) schedule();
    });

  function schedule(): void {
    isScheduled = true;
    const restMs = lastStartMs + delayMs - performance.now();
    // Not at once but at the end of this turn of the event loop: what has already arrived comes along.
    if (restMs > 0) setTimeout(run, restMs);
    else setImmediate(run);
  }

  function fitting(): number {
    let bytes = 0;
    const count = waiting.findIndex(({ item }, at) => {
      bytes += bytesOf(item);
      return at === max || (at > 0 && bytes > maxBytes);
    });
    return count === -1 ? waiting.length : count;
  }

  function run(): void {
    lastStartMs = performance.now();
    const count = fitting();
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    void deliver(flush, batch, lanes).then(() => {
      isScheduled = false;
      if (lanes !== undefined) waiting = waiting.filter((one) => !lanes.take(one));
      if (waiting.length > 0) schedule();
    });
  }
}

/** Settles every call of the batch, or hands all to their lanes; never rejects. False when a lock did not come free. */
async function deliver<In, Out>(
  flush: Flush<In, Out>,
  batch: readonly Waiting<In, Out>[],
  lanes?: Lanes<Waiting<In, Out>>,
): Promise<boolean> {
  try {
    const results = await settleWithin(flush(batch.map(({ item }) => item)));
    if (results.length !== batch.length) {
      throw new Error(`a flush of ${batch.length} items answered ${results.length} results`);
    }
    for (const [at, result] of results.entries()) {
      if (result instanceof Error) batch[at]?.reject(result);
      else batch[at]?.resolve(result);
    }
    return true;
  } catch (error) {
    const isJam = isLockTimeout(error);
    if (isJam && lanes !== undefined) {
      lanes.split(batch);
      return false;
    }
    if (batch.length > 1 && isRefusal(error)) {
      for (const one of batch) await deliver(flush, [one]);
      return true;
    }
    for (const { reject } of batch) reject(error);
    return !isJam;
  }
}
