/** What takes things, and sends them on. */
export type Forwarder<Item> = {
  readonly add: (item: Item) => void;
  /** Resolves once not too many are waiting; for one adder alone. */
  readonly room: () => Promise<void>;
  /** Resolves once nothing is waiting. */
  readonly done: () => Promise<void>;
};

/** As many calls as a broker makes to a webhook. */
const atOnce = 4;
const mostWaiting = 500;

/** Sends things of one line one after the other, in their order; a few lines at once. `send` never throws. */
export function forwardInOrder<Item>(
  lineOf: (item: Item) => string,
  send: (item: Item) => Promise<void>,
): Forwarder<Item> {
  const ends = new Map<string, Promise<void>>();
  const queued: (() => void)[] = [];
  let [free, waiting] = [atOnce, 0];
  let sentOne = Promise.withResolvers<void>();

  async function sendNext(item: Item): Promise<void> {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => queued.push(resolve));
    await send(item);
    waiting--;
    sentOne.resolve();
    sentOne = Promise.withResolvers();
    const next = queued.shift();
    if (next === undefined) free++;
    else next();
  }

  return {
    add(item) {
      waiting++;
      const line = lineOf(item);
      const end = (ends.get(line) ?? Promise.resolve())
        .then(async () => await sendNext(item))
        .then(() => {
          if (ends.get(line) === end) ends.delete(line);
        });
      ends.set(line, end);
    },
    async room() {
      if (waiting >= mostWaiting) await sentOne.promise;
    },
    async done() {
      while (ends.size > 0) await Promise.all(ends.values());
    },
  };
}
