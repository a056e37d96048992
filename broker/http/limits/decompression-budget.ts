import { problem } from "../../../shared/problem.ts";

/** A body's owner, its decompressed limit, and its bytes that wait. */
export type Decompression = {
  readonly key: string;
  readonly bytes: number;
  readonly waitingBytes: number;
};

type Limits = {
  /** What may be held at once; one key may hold half of it, or one inflation that is larger. */
  readonly mostBytes: number;
  /** What may wait at once, as it was sent; of one key a quarter of it. */
  readonly mostWaitingBytes: number;
};
type Waiter = Decompression & { readonly enter: () => void };
type Held = { bytes: number; waiting: number };

/** What waits costs at least as much as it takes to remember it. */
const leastWaitingBytes = 4096;

/**
 * The memory budget for bodies while they are decompressed and read. A key at its share waits alone: others pass it. When the
 * whole budget is full, nobody passes, so that large bodies get their turn.
 */
export class DecompressionBudget {
  readonly #limits: Limits;
  readonly #byKey = new Map<string, Held>();
  readonly #all: Held = { bytes: 0, waiting: 0 };
  #waiters: Waiter[] = [];

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get heldBytes(): number {
    return this.#all.bytes;
  }

  /** Runs it when there is room; 503 when too much is waiting. */
  async within<Result>(decompression: Decompression, run: () => Promise<Result>): Promise<Result> {
    await this.#enter(decompression);
    try {
      return await run();
    } finally {
      this.#count(decompression.key, { bytes: -decompression.bytes, waiting: 0 });
      this.#admit();
    }
  }

  /** What waits before this one may be held back by the share of its key alone. */
  #enter(decompression: Decompression): Promise<void> {
    const { key } = decompression;
    const waiting = Math.max(leastWaitingBytes, decompression.waitingBytes);
    const entered = Promise.withResolvers<void>();
    const enter = (): void => {
      this.#count(key, { bytes: decompression.bytes, waiting: -waiting });
      entered.resolve();
    };
    this.#count(key, { bytes: 0, waiting });
    this.#waiters.push({ ...decompression, enter });
    this.#admit();
    const own = this.#byKey.get(key)?.waiting ?? 0;
    const { mostWaitingBytes: most } = this.#limits;
    const isIn = this.#waiters.at(-1)?.enter !== enter;
    if (isIn || (this.#all.waiting <= most && own <= most / 4)) return entered.promise;
    this.#waiters.pop();
    this.#count(key, { bytes: 0, waiting: -waiting });
    throw problem.unavailable("Too many compressed bodies are waiting. Try again later.", 1);
  }

  #admit(): void {
    const rest: Waiter[] = [];
    let isFull = false;
    for (const waiter of this.#waiters) {
      if (!isFull && this.#fits(waiter)) {
        waiter.enter();
      } else {
        rest.push(waiter);
        isFull ||= this.#fitsShare(waiter);
      }
    }
    this.#waiters = rest;
  }

  #fits(decompression: Decompression): boolean {
    const { bytes } = this.#all;
    const fitsAll = bytes === 0 || bytes + decompression.bytes <= this.#limits.mostBytes;
    return fitsAll && this.#fitsShare(decompression);
  }

  #fitsShare({ key, bytes }: Decompression): boolean {
    const own = this.#byKey.get(key)?.bytes ?? 0;
    return own === 0 || own + bytes <= this.#limits.mostBytes / 2;
  }

  #count(key: string, { bytes, waiting }: Held): void {
    const own = this.#byKey.get(key) ?? { bytes: 0, waiting: 0 };
    for (const one of [own, this.#all]) {
      one.bytes += bytes;
      one.waiting += waiting;
    }
    if (own.bytes === 0 && own.waiting === 0) this.#byKey.delete(key);
    else this.#byKey.set(key, own);
  }
}
