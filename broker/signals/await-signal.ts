import type { QueueSignal } from "../../shared/api/signal.ts";
import { signalEnds } from "../../shared/queue-signal.ts";
import type { Broker } from "../broker.ts";
import { park } from "../clocks/park.ts";
import type { WithPermit } from "../limits/permits.ts";
import type { Actor } from "../tokens/actor.ts";
import { requireQueueSignal } from "./read-signals.ts";

type Waiting = {
  readonly waitMs: number;
  readonly signal: AbortSignal;
  /** Takes a permit for a look; none is held between them. */
  readonly withPermit: WithPermit;
};

const firstPauseMs = 100;
const longestPauseMs = 2000;

/**
 * The signal as soon as it has ended, or as it is when the time is up; 404 without it. Its data is shown to who has signals.data. It looks again and again: signals end by
 * many statements, also of clocks, and none of them tells.
 */
export async function awaitSignal(
  broker: Pick<Broker, "db" | "events" | "seals">,
  actor: Pick<Actor, "orgId" | "permissions">,
  at: { readonly queueId: string; readonly id: string },
  { waitMs, signal, withPermit }: Waiting,
): Promise<QueueSignal> {
  const { draining } = broker.events;
  const endMs = performance.now() + waitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const shown = await withPermit(() =>
      requireQueueSignal(broker, actor, at, { withData: false }),
    );
    const leftMs = endMs - performance.now();
    const isOver = leftMs <= 0 || signal.aborted || draining.aborted;
    if (isOver || hasEnded(shown)) break;
    const next = Math.min(pauseMs, leftMs);
    await park({ waitMs: next, until: new Promise(() => {}), signals: [signal, draining] });
  }
  return await withPermit(() => requireQueueSignal(broker, actor, at));
}

const hasEnded = ({ status: { status } }: QueueSignal): boolean =>
  signalEnds.some((end) => end === status);
