import { setTimeout as pause } from "node:timers/promises";
import type { Broker } from "../broker.ts";
import { newId } from "../database/new-id.ts";
import { afterAttempt } from "./after-attempt.ts";
import {
  type AttemptRecord,
  type DueDelivery,
  type DueOfLine,
  type Line,
  releaseLine,
  takeDeliveries,
} from "./delivery-queries.ts";
import { sendEvent } from "./send-event.ts";
import type { InTurn } from "./statement-turns.ts";

/** What delivering takes of a broker. */
export type LineParts = Pick<Broker, "db" | "egress" | "log" | "seals"> & {
  readonly inTurn: InTurn;
  /** Writes what came of an attempt, together with others; whether the lease was still there. */
  readonly record: (record: AttemptRecord) => Promise<boolean>;
};

type Running = {
  readonly line: Line;
  /** Aborts when the broker begins to stop: nothing more is begun. */
  readonly closing: AbortSignal;
  /** Aborts later: what is under way is given up. */
  readonly stopped: AbortSignal;
  /** Resolves when somebody says that there is more. */
  readonly asked: () => Promise<void>;
};

const mostAtOnce = 4;
const none: DueOfLine = { due: [], isFailing: false };
/** Between looks at what has come due meanwhile. */
const lookEveryMs = 1000;
/** After a call that found no room. */
const restMs = 1000;

/** Delivers what is due of a line, a stream's deliveries one after the other, and gives it back; whether more is due. */
export async function runLine(parts: LineParts, running: Running): Promise<boolean> {
  const { db, inTurn } = parts;
  const { line, closing, asked } = running;
  const busy = new Map<string, Promise<void>>();
  let mostNow = mostAtOnce;
  for (;;) {
    const most = closing.aborted ? 0 : mostNow - busy.size;
    const news = asked(); // before the look: what is told during it is news
    const look = most > 0 ? await takeDue(parts, running, { busy: [...busy.keys()], most }) : none;
    if (look === "unanswered") continue;
    if (look === undefined) {
      await Promise.all(busy.values());
      return false;
    }
    // While the one call of a webhook that fails is under way, there is nothing to look for.
    if (most > 0) mostNow = look.isFailing ? 1 : mostAtOnce;
    for (const one of look.due) {
      const done = deliver(parts, running, one).finally(() => busy.delete(one.stream));
      busy.set(one.stream, done);
    }
    if (busy.size === 0) return await inTurn(line, () => releaseLine(db, line));
    await untilNews(closing.aborted ? [...busy.values()] : [...busy.values(), news]);
  }
}

/** After a rest, where the database refused: were the line left, nobody would deliver until its lease runs out. */
async function takeDue(
  { db, inTurn, log }: LineParts,
  { line, closing }: Running,
  wanted: { readonly busy: readonly string[]; readonly most: number },
): Promise<DueOfLine | "unanswered" | undefined> {
  try {
    return await inTurn(line, () => takeDeliveries(db, line, wanted));
  } catch (error) {
    const of = { err: error, webhook_id: line.webhookId };
    log.warn(of, "could not look for a webhook's deliveries; it is tried again");
    await pause(restMs, undefined, { signal: closing }).catch(() => {});
    return "unanswered";
  }
}

async function untilNews(news: readonly Promise<void>[]): Promise<void> {
  const waited = new AbortController();
  const looking = pause(lookEveryMs, undefined, { signal: waited.signal }).catch(() => {});
  await Promise.race([...news, looking]);
  waited.abort();
}

/** One try. What was not sent, or given up, leaves no trace: it is due as it was. */
async function deliver(
  parts: LineParts,
  { line, stopped }: Running,
  due: DueDelivery,
): Promise<void> {
  const n = due.attempts + 1;
  try {
    const sent = await sendEvent(parts, line.orgId, due, {
      eventId: due.event_id,
      body: due.body,
      headers: {
        "x-svc-delivery-id": due.delivery_id,
        "x-svc-attempt": String(n),
        "x-svc-sequence": String(due.seq),
      },
      signal: stopped,
    });
    if (sent === "aborted") return;
    if ("kind" in sent) {
      await pause(restMs, undefined, { signal: stopped }).catch(() => {});
      return;
    }
    const { retryAfterMs: _, ...attempt } = sent;
    const { tries, is_resent: isResent, stream, delivery_id } = due;
    await parts.record({
      ...attempt,
      ...afterAttempt({ tries, isResent, isDetached: stream === delivery_id }, sent),
      id: newId("wha"),
      org_id: line.orgId,
      webhook_id: line.webhookId,
      lease_id: line.leaseId,
      delivery_id,
      stream,
      n,
    });
  } catch (error) {
    parts.log.error(
      { err: error, delivery_id: due.delivery_id },
      "a delivery could not be made; it is tried again",
    );
    await pause(restMs, undefined, { signal: stopped }).catch(() => {});
  }
}
