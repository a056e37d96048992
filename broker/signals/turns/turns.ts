import { FairQueue, type Release } from "../../limits/fair-queue.ts";
import type { Metrics } from "../../metrics.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** Whose work it is: places are shared out between orgs first, then between an org's types. */
export type TurnOwner = { readonly orgId: OrgId; readonly type: string };

type Work = {
  readonly run: (stopped: AbortSignal) => Promise<void>;
  /** Called instead when there is no place for it in time. */
  readonly putOff: () => Promise<void>;
};

/** The places in which a broker executes signals and callbacks. */
export type Turns = {
  /** Takes a piece of work and returns at once; it is run when it is its owner's turn. */
  readonly take: (owner: TurnOwner, work: Work) => void;
  /** How much more of an owner is welcome: nothing while some of it waits. */
  readonly roomFor: (owner: TurnOwner) => number;
  /** Puts off what waits, and lets what runs end for a while. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly places: number;
  readonly metrics: Metrics;
  readonly onError: (error: unknown) => void;
  /** Called when an owner has nothing more that waits. */
  readonly onRoom?: (owner: TurnOwner) => void;
  readonly patienceMs?: number;
};

const mostWaitingOfOrg = 200;
const mostWaiting = 5000;
/** Less than the lease that protects what waits. */
const defaultPatienceMs = 30_000;
const stopMs = 10_000;

/**
 * What waits here is ids alone. An org has at most a quarter of the places, a type of it half of those: slow calls of one hold up
 * neither other orgs nor the org's other types.
 */
export function makeTurns(parts: Parts): Turns {
  const { places, metrics, onError, onRoom, patienceMs = defaultPatienceMs } = parts;
  const stopped = new AbortController();
  const running = new Set<Promise<void>>();
  const { queue, mostOfToken } = makeQueue(places, patienceMs);
  const line = new Line(queue);
  metrics.gauge("svc_turns_running", "Signals that this broker executes.", () => queue.held);
  metrics.gauge("svc_turns_waiting", "Signals that wait for a place.", () => queue.waiting);
  let isStopping = false;

  async function run(owner: TurnOwner, work: Work): Promise<void> {
    let release: Release | undefined;
    try {
      if (isStopping) throw new NoPlaceError();
      release = await line.place(owner);
      await work.run(stopped.signal);
    } catch (error) {
      if (!(error instanceof NoPlaceError)) throw error;
      await work.putOff();
    } finally {
      release?.();
    }
    if (release !== undefined && !line.waits(owner)) onRoom?.(owner);
  }

  return {
    take(owner, work) {
      const done = run(owner, work)
        .catch(onError)
        .finally(() => running.delete(done));
      running.add(done);
    },
    roomFor(owner) {
      if (isStopping || line.waits(owner)) return 0;
      const most = queue.held < places ? 2 * mostOfToken : 1; // one: so that it has its turn when all are taken
      const left = Math.min(
        mostWaitingOfOrg - queue.ofOrg(owner.orgId),
        mostWaiting - queue.waiting,
      );
      return Math.max(0, Math.min(most, left));
    },
    async stop() {
      isStopping = true;
      line.leave();
      const timer = setTimeout(() => stopped.abort(), stopMs);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

function makeQueue(places: number, patienceMs: number) {
  const mostOfOrg = Math.max(1, Math.ceil(places / 4));
  const mostOfToken = Math.max(1, Math.ceil(mostOfOrg / 2));
  const queue: FairQueue = new FairQueue({
    permits: places,
    mostOfOrg,
    mostOfToken,
    patienceMs,
    tooLate: () => new NoPlaceError(),
    admit(_, org) {
      if (org >= mostWaitingOfOrg || queue.waiting >= mostWaiting) throw new NoPlaceError();
    },
  });
  return { queue, mostOfToken };
}

/** Those who wait for a place. */
class Line {
  readonly #queue: FairQueue;
  readonly #waiting = new Map<string, number>();
  readonly #leaving = new Set<() => void>();

  constructor(queue: FairQueue) {
    this.#queue = queue;
  }

  waits(owner: TurnOwner): boolean {
    return this.#waiting.has(keyOf(owner));
  }

  async place(owner: TurnOwner): Promise<Release> {
    let leave: (() => void) | undefined;
    const given = this.#queue.take({ orgId: owner.orgId, token: owner.type }, (leaveQueue) => {
      leave = leaveQueue;
      this.#leaving.add(leave);
    });
    if (!(given instanceof Promise)) return given;
    this.#count(owner, 1);
    try {
      return await given;
    } finally {
      if (leave !== undefined) this.#leaving.delete(leave);
      this.#count(owner, -1);
    }
  }

  /** Sends everybody away. */
  leave(): void {
    for (const leave of this.#leaving) leave();
  }

  #count(owner: TurnOwner, more: number): void {
    const count = (this.#waiting.get(keyOf(owner)) ?? 0) + more;
    if (count > 0) this.#waiting.set(keyOf(owner), count);
    else this.#waiting.delete(keyOf(owner));
  }
}

const keyOf = ({ orgId, type }: TurnOwner): string => `${orgId} ${type}`;

class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
}
