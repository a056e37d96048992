import type { Broker } from "../broker.ts";
import { makePoller } from "../clocks/poller.ts";
import { makeBatcher } from "../database/batcher.ts";
import { makeLimiter } from "../database/limiter.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type AttemptRecord, type Line, recordAttempts, takeLines } from "./delivery-queries.ts";
import { type LineParts, runLine } from "./run-line.ts";

const mostLines = 256;
/** Their calls together are fewer than an org may have waiting at the way out. */
const mostLinesOfOrg = 16;
const mostTakenTogether = 64;
const mostRecordedTogether = 100;
/** Takes and gives back at once, beside one record. */
const statementsAtOnce = 2;
const lookEveryMs = 1000;
const restMs = 10;
const stopMs = 10_000;

type Held = {
  readonly orgId: OrgId;
  readonly asked: () => Promise<void>;
  readonly ask: () => void;
};

/**
 * Delivers what is due, a webhook by one broker at a time: looks when a fan-out or a resend says so, and every second. Answers how to
 * stop: what is under way may end for ten seconds, and is then left to others.
 */
export function startDeliveries(broker: Broker): () => Promise<void> {
  const { db, log, metrics, wakes } = broker;
  const [closing, stopped] = [new AbortController(), new AbortController()];
  const held = new Map<string, Held>();
  const running = new Set<Promise<void>>();
  metrics.gauge("svc_webhook_lines", "Webhooks that this broker delivers to.", () => held.size);
  const parts = partsOf(broker);

  async function run(line: Line): Promise<void> {
    const { asked, ask } = makeAsking();
    held.set(line.webhookId, { orgId: line.orgId, asked, ask });
    try {
      const isDue = await runLine(parts, {
        line,
        closing: closing.signal,
        stopped: stopped.signal,
        asked,
      });
      if (isDue) poller.ask();
    } catch (error) {
      log.error(
        { err: error, webhook_id: line.webhookId },
        "deliveries failed; their lease runs out",
      );
    } finally {
      held.delete(line.webhookId);
    }
  }

  async function look(): Promise<number> {
    const most = Math.min(mostTakenTogether, mostLines - held.size);
    if (closing.signal.aborted || most <= 0) return lookEveryMs;
    const lines = await takeLines(db, most, fullOrgs(held));
    for (const line of lines) {
      const done = run(line).finally(() => running.delete(done));
      running.add(done);
    }
    return lines.length === most ? 0 : lookEveryMs;
  }

  const poller = makePoller({
    look,
    restMs,
    fallbackMs: lookEveryMs,
    onError: (error) =>
      log.warn({ err: error }, "could not look for deliveries; it is tried again"),
  });
  poller.start();
  const leave = wakes.subscribe("webhook:", (topic) => {
    (held.get(topic.slice("webhook:".length)) ?? poller).ask();
  });
  return async () => {
    closing.abort();
    leave();
    poller.stop();
    const timer = setTimeout(() => stopped.abort(), stopMs);
    await Promise.all(running);
    clearTimeout(timer);
  };
}

/** What lines share: records travel together, and few statements run at once. */
function partsOf(broker: Broker): LineParts {
  const { db, metrics } = broker;
  const attempts = metrics.counter("svc_webhook_attempts_total", "Attempts to deliver events.");
  const write = makeBatcher((records: readonly AttemptRecord[]) => recordAttempts(db, records), {
    max: mostRecordedTogether,
  });
  return {
    ...broker,
    limiter: makeLimiter(statementsAtOnce),
    record: async (one) => {
      attempts.add({ result: one.result });
      return await write(one);
    },
  };
}

/** Orgs that have as many lines here as one may have. */
function fullOrgs(held: ReadonlyMap<string, Held>): OrgId[] {
  const counts = new Map<OrgId, number>();
  for (const { orgId } of held.values()) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
  return [...counts].flatMap(([orgId, count]) => (count >= mostLinesOfOrg ? [orgId] : []));
}

function makeAsking(): Pick<Held, "asked" | "ask"> {
  let { promise, resolve } = Promise.withResolvers<void>();
  return {
    asked: () => promise,
    ask: () => {
      resolve();
      ({ promise, resolve } = Promise.withResolvers<void>());
    },
  };
}
