import { FairQueue, type Release } from "../../limits/fair-queue.ts";
import type { Metrics } from "../../metrics.ts";
import type { OrgId } from "../../orgs/org-id.ts";

/** Whose work it is: places are shared out between orgs first, then between an org's types. */
export type TurnOwner = { readonly orgId: OrgId; readonly type: string };

type Work = {
  readonly run: (stopped: AbortSignal) => Promise<void>;
  /** Called instead when there is no place for it in time. */
  readonly putOff: (afterMs: number) => Promise<void>;
};

/** The places in which a broker executes signals and callbacks. */
export type Turns = {
  /** Takes a piece of work and returns at once; it is run when it is its owner's turn. */
  readonly take: (owner: TurnOwner, work: Work) => void;
  /** Puts off what waits, and lets what runs end for a while. */
  readonly stop: () => Promise<void>;
};

type Parts = {
  readonly places: number;
  readonly metrics: Metrics;
  readonly onError: (error: unknown) => void;
  readonly patienceMs?: number;
};

const mostWaitingOfOrg = 200;
const mostWaiting = 5000;
/** Less than the lease that protects what waits. */
const defaultPatienceMs = 30_000;
const putOffMs = 15_000;
const stopMs = 10_000;

/**
 * What waits here is ids alone. An org has at most a quarter of the places, a type of it half of those: slow calls of one hold up
 * neither other orgs nor the org's other types.
 */
export function makeTurns(parts: Parts): Turns {
  const { places, metrics, onError, patienceMs = defaultPatienceMs } = parts;
  const stopped = new AbortController();
  const leaving = new Set<() => void>();
  const running = new Set<Promise<void>>();
  const mostOfOrg = Math.max(1, Math.ceil(places / 4));
  const queue = new FairQueue({
    permits: places,
    mostOfOrg,
    mostOfToken: Math.max(1, Math.ceil(mostOfOrg / 2)),
    patienceMs,
    tooLate: () => new NoPlaceError(),
    admit(_, org) {
      if (org >= mostWaitingOfOrg || queue.waiting >= mostWaiting) throw new NoPlaceError();
    },
  });
  metrics.gauge("svc_turns_running", "Signals that this broker executes.", () => queue.held);
  metrics.gauge("svc_turns_waiting", "Signals that wait for a place.", () => queue.waiting);
  const isStopped = (): boolean => stopped.signal.aborted || isStopping;
  let isStopping = false;

  async function run({ orgId, type }: TurnOwner, work: Work): Promise<void> {
    let release: Release | undefined;
    let leave: (() => void) | undefined;
    try {
      if (isStopped()) throw new NoPlaceError();
      release = await queue.take({ orgId, token: type }, (leaveQueue) => {
        leave = leaveQueue;
        leaving.add(leave);
      });
      await work.run(stopped.signal);
    } catch (error) {
      if (!(error instanceof NoPlaceError)) throw error;
      await work.putOff(isStopped() ? 0 : putOffMs * (1 + Math.random()));
    } finally {
      if (leave !== undefined) leaving.delete(leave);
      release?.();
    }
  }

  return {
    take(owner, work) {
      const done = run(owner, work)
        .catch(onError)
        .finally(() => running.delete(done));
      running.add(done);
    },
    async stop() {
      isStopping = true;
      for (const leave of leaving) leave();
      const timer = setTimeout(() => stopped.abort(), stopMs);
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}

class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";
}
