import { isRefusal } from "./is-refusal.ts";
import { settleWithin } from "./settle-within.ts";

export type GatherOptions = {
  /** The most items that travel in one flush. */
  readonly max: number;
  /** The least time between the starts of two flushes; 0 unless told. */
  readonly delayMs?: number;
};

type Waiting<In, Out> = {
  readonly item: In;
  readonly resolve: (out: Out) => void;
  readonly reject: (reason: unknown) => void;
};

/**
 * Lets calls that arrive together travel in one flush. A lone call goes at once; calls that arrive while a
 * flush is in flight share the next one, in order. `flush` answers one result for each item, in the items'
 * order; an `Error` among them rejects that one call, a rejected flush rejects all of its calls. Where the database
 * refused what it was given, nothing of it happened: each call is then tried alone, and only the refused one fails.
 */
export function gather<In, Out>(
  flush: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  { max, delayMs = 0 }: GatherOptions,
): (item: In) => Promise<Out> {
  let waiting: Waiting<In, Out>[] = [];
  let isScheduled = false;
  let lastStartMs = -Infinity;

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isScheduled) schedule();
    });

  function schedule(): void {
    isScheduled = true;
    const restMs = lastStartMs + delayMs - performance.now();
    // Not at once but at the end of this turn of the event loop: what has already arrived comes along.
    if (restMs > 0) setTimeout(run, restMs);
    else setImmediate(run);
  }

  function run(): void {
    lastStartMs = performance.now();
    const batch = waiting.slice(0, max);
    waiting = waiting.slice(max);
    void deliver(flush, batch).then(() => {
      isScheduled = false;
      if (waiting.length > 0) schedule();
    });
  }
}

/** Settles every call of the batch; never rejects itself. */
async function deliver<In, Out>(
  flush: (items: readonly In[]) => Promise<readonly (Out | Error)[]>,
  batch: readonly Waiting<In, Out>[],
): Promise<void> {
  try {
    const results = await settleWithin(flush(batch.map(({ item }) => item)));
    if (results.length !== batch.length) {
      throw new Error(`a flush of ${batch.length} items answered ${results.length} results`);
    }
    for (const [at, result] of results.entries()) {
      if (result instanceof Error) batch[at]?.reject(result);
      else batch[at]?.resolve(result);
    }
  } catch (error) {
    if (batch.length > 1 && isRefusal(error)) {
      for (const one of batch) await deliver(flush, [one]);
      return;
    }
    for (const { reject } of batch) reject(error);
  }
}
