import { type Problem, problem } from "../../../shared/problem.ts";

/** Whose bytes they are, and how many are held at the most. */
export type Entry = {
  readonly orgId: string;
  /** Or of what else `ownerWord` says. */
  readonly tokenId: string;
  readonly bytes: number;
  /** Of these, what is in memory already while it waits. */
  readonly waitingBytes?: number;
};

/** How much may be held at once; an owner that holds nothing may hold one larger value. */
export type BudgetLimits = {
  readonly what: string;
  /** Whose the smallest share is, where it is no token's. */
  readonly ownerWord?: string;
  readonly brokerBytes: number;
  readonly orgBytes: number;
  readonly tokenBytes: number;
  readonly waitMs: number;
  /** What may wait in memory; of one token a quarter of it. Needed only where something of what waits is in memory. */
  readonly mostWaitingBytes?: number;
};

type Bound = { readonly name: "broker" | "org" | "token"; readonly key: string; most: number };
type Waiter = {
  readonly bounds: readonly Bound[];
  readonly bytes: number;
  readonly enter: () => void;
};
/** By whom room is waited for: the requests, and their bytes in memory. */
type Waiting = { readonly requests: number; readonly bytes: number };

/** The most waiting requests of one token; further ones are refused at once. */
const mostWaiting = 128;
/** What waits in memory costs at least as much as it takes to remember it. */
const leastWaitingBytes = 4096;
const nobody: Waiting = { requests: 0, bytes: 0 };
const mebibyte = 1024 * 1024;

/**
 * A memory budget for large values. Requests wait for it for a while, longest-waiting first; one whose
 * token or org has its share waits, and others pass it. Within one token, one org or a full broker nobody passes
 * anybody, so that large requests get their turn.
 */
export class ByteBudget {
  readonly #limits: BudgetLimits;
  readonly #held = new Map<string, number>();
  readonly #waitingOf = new Map<string, Waiting>();
  readonly #onRefusal: (bound: Bound["name"]) => void;
  #waiters: Waiter[] = [];

  constructor(limits: BudgetLimits, onRefusal: (bound: Bound["name"]) => void) {
    this.#limits = limits;
    this.#onRefusal = onRefusal;
  }

  get heldBytes(): number {
    return this.#held.get("") ?? 0;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /**
   * Resolves, when there is memory, with a function that releases it; 429 or 503 when there is none for too long. A request whose client is
   * gone leaves the queue.
   */
  async enter(entry: Entry, gone?: AbortSignal): Promise<() => void> {
    const { bytes, tokenId } = entry;
    const bounds = this.#boundsOf(entry);
    const ofToken = this.#waitingOf.get(tokenId) ?? nobody;
    if (ofToken.requests >= mostWaiting) throw this.#refusal({ name: "token", key: "", most: 0 });
    const entered = Promise.withResolvers<void>();
    const waiter = { bounds, bytes, enter: entered.resolve };
    this.#waiters.push(waiter);
    this.#admit();
    if (this.#waiters.includes(waiter)) {
      const waiting = this.#bytesOf(entry);
      this.#countWaiting(tokenId, { requests: 1, bytes: waiting });
      try {
        this.#checkWaiting(waiter, tokenId);
        await this.#wait(waiter, entered, gone);
      } finally {
        this.#countWaiting(tokenId, { requests: -1, bytes: -waiting });
      }
    }
    return this.#leaveOf(waiter);
  }

  /**
   * The same for bytes that are in memory already, which would be held by waiting, too: refused where there is no room at once. Nobody
   * who waits is passed.
   */
  enterNow(entry: Entry): () => void {
    const waiter = { bounds: this.#boundsOf(entry), bytes: entry.bytes, enter() {} };
    this.#waiters.push(waiter);
    this.#admit();
    if (this.#waiters.includes(waiter)) throw this.#giveUp(waiter);
    return this.#leaveOf(waiter);
  }

  /** The same for what can be refused no more: it counts, whether or not there is room. */
  hold(entry: Entry): () => void {
    const waiter = { bounds: this.#boundsOf(entry), bytes: entry.bytes, enter() {} };
    this.#count(waiter, entry.bytes);
    return this.#leaveOf(waiter);
  }

  #obstacleOf({ bounds, bytes }: Waiter): Bound | undefined {
    return bounds.find((bound) => !this.#fits(bound, bytes));
  }

  #leaveOf(waiter: Waiter): () => void {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#count(waiter, -waiter.bytes);
      this.#admit();
    };
  }

  /** Has it wait no more, and answers why it could not enter. */
  #giveUp(waiter: Waiter): Problem {
    const full = this.#waiters.map((one) => this.#obstacleOf(one)?.key);
    const obstacle = waiter.bounds.find(({ key }) => full.includes(key)); // its own, or that of one before it
    this.#waiters = this.#waiters.filter((one) => one !== waiter);
    return this.#refusal(obstacle ?? waiter.bounds.at(-1));
  }

  async #wait(
    waiter: Waiter,
    entered: PromiseWithResolvers<void>,
    gone: AbortSignal | undefined,
  ): Promise<void> {
    const giveUp = (): void => {
      if (!this.#waiters.includes(waiter)) return; // it has entered
      entered.reject(this.#giveUp(waiter));
      this.#admit(); // it may have kept others back
    };
    const timer = setTimeout(giveUp, this.#limits.waitMs);
    gone?.addEventListener("abort", giveUp, { once: true });
    if (gone?.aborted === true) giveUp(); // that is told only once
    try {
      await entered.promise;
    } finally {
      clearTimeout(timer);
      gone?.removeEventListener("abort", giveUp);
    }
  }

  /** In memory while it waits. */
  #bytesOf({ waitingBytes }: Entry): number {
    return waitingBytes === undefined ? 0 : Math.max(leastWaitingBytes, waitingBytes);
  }

  #checkWaiting(waiter: Waiter, tokenId: string): void {
    const { mostWaitingBytes: most = Infinity } = this.#limits;
    const isTokenOver = (this.#waitingOf.get(tokenId)?.bytes ?? 0) > most / 4;
    if (!isTokenOver && (this.#waitingOf.get("")?.bytes ?? 0) <= most) return;
    this.#waiters = this.#waiters.filter((one) => one !== waiter);
    throw this.#refusal({ name: isTokenOver ? "token" : "broker", key: "", most: 0 });
  }

  /** Of the token, and of all. */
  #countWaiting(tokenId: string, by: Waiting): void {
    for (const key of [tokenId, ""]) {
      const { requests, bytes } = this.#waitingOf.get(key) ?? nobody;
      if (requests + by.requests === 0) this.#waitingOf.delete(key);
      else this.#waitingOf.set(key, { requests: requests + by.requests, bytes: bytes + by.bytes });
    }
  }

  #admit(): void {
    const rest: Waiter[] = [];
    const full = new Set<string>();
    for (const waiter of this.#waiters) {
      const { bounds, bytes } = waiter;
      const obstacle = bounds.find((bound) => full.has(bound.key) || !this.#fits(bound, bytes));
      if (obstacle === undefined) {
        this.#count(waiter, bytes);
        waiter.enter();
      } else {
        rest.push(waiter);
        full.add(obstacle.key);
      }
    }
    this.#waiters = rest;
  }

  #boundsOf({ orgId, tokenId }: Entry): Bound[] {
    const { brokerBytes, orgBytes, tokenBytes } = this.#limits;
    return [
      { name: "token", key: `token ${tokenId}`, most: tokenBytes },
      { name: "org", key: `org ${orgId}`, most: orgBytes },
      { name: "broker", key: "", most: brokerBytes },
    ];
  }

  #fits({ key, most }: Bound, bytes: number): boolean {
    const held = this.#held.get(key) ?? 0;
    return held === 0 || held + bytes <= most;
  }

  #count({ bounds }: Waiter, bytes: number): void {
    for (const { key } of bounds) {
      const held = (this.#held.get(key) ?? 0) + bytes;
      if (held === 0) this.#held.delete(key);
      else this.#held.set(key, held);
    }
  }

  #refusal(bound: Bound | undefined): Problem {
    const { name = "broker", most = 0 } = bound ?? {};
    this.#onRefusal(name);
    const { what, ownerWord = "token" } = this.#limits;
    if (name === "broker") {
      return problem.unavailable(`This broker has no memory left for ${what}. Try again later.`, 2);
    }
    const owner = name === "token" ? ownerWord : name;
    const words =
      most === 0
        ? `Too many ${what} of this ${owner} are waiting. Send fewer at once.`
        : `The ${what} of one ${owner} may use at most ${most / mebibyte} MiB of a broker at once.`;
    return problem.tooMany(words, 2, "too_many_bytes");
  }
}
