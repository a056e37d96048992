import type { Broker } from "../broker.ts";
import { makePoller } from "../clocks/poller.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { type AttemptRecord, type Line, recordAttempts, takeLines } from "./delivery-queries.ts";
import { type LineParts, runLine } from "./run-line.ts";
import { makeStatementTurns } from "./statement-turns.ts";

const mostLines = 256;
/** Their calls together are fewer than an org may have waiting at the way out. */
const mostLinesOfOrg = 16;
const mostTakenTogether = 64;
const mostRecordedTogether = 100;
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
  const signals = { closing: closing.signal, stopped: stopped.signal };
  const held = new Map<string, Held>();
  const running = new Set<Promise<void>>();
  metrics.gauge("svc_webhook_lines", "Webhooks that this broker delivers to.", () => held.size);
  const parts = partsOf(broker);

  async function run(line: Line): Promise<void> {
    const { asked, ask } = makeAsking();
    held.set(line.webhookId, { orgId: line.orgId, asked, ask });
    try {
      const isDue = await runLine(parts, { line, ...signals, asked });
      if (isDue) poller.ask();
    } catch (error) {
      log.error(
        { err: error, webhook_id: line.webhookId },
        "deliveries failed; their lease runs out",
      );
    } finally {
      held.delete(line.webhookId);
      if (!linesOfOrgs(held).has(line.orgId)) parts.forget(line.orgId);
    }
  }

  async function look(): Promise<number> {
    const most = Math.min(mostTakenTogether, mostLines - held.size);
    if (closing.signal.aborted || most <= 0) return lookEveryMs;
    const lines = await takeLines(db, { most, ofOrg: mostLinesOfOrg, held: linesOfOrgs(held) });
    for (const line of lines) {
      const done = run(line).finally(() => running.delete(done));
      running.add(done);
    }
    return lines.length > 0 ? 0 : lookEveryMs; // one org's may have hidden others'
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

/** What lines share: an org's records travel together, and few statements run at once, in turns of orgs. */
function partsOf(broker: Broker): LineParts & { readonly forget: (org: OrgId) => void } {
  const { db, metrics } = broker;
  const attempts = metrics.counter("svc_webhook_attempts_total", "Attempts to deliver events.");
  const inTurn = makeStatementTurns();
  const writers = new Map<OrgId, LineParts["record"]>();
  const writerOf = (orgId: OrgId): LineParts["record"] =>
    makeBatcher(
      (records: readonly AttemptRecord[]) =>
        inTurn({ orgId, webhookId: "" }, () => recordAttempts(db, records)),
      { max: mostRecordedTogether },
    );
  return {
    ...broker,
    inTurn,
    record: async (one) => {
      attempts.add({ result: one.result });
      const write = writers.get(one.org_id) ?? writerOf(one.org_id);
      writers.set(one.org_id, write);
      return await write(one);
    },
    forget: (org) => writers.delete(org),
  };
}

/** How many lines each org has here. */
function linesOfOrgs(held: ReadonlyMap<string, Held>): Map<OrgId, number> {
  const counts = new Map<OrgId, number>();
  for (const { orgId } of held.values()) counts.set(orgId, (counts.get(orgId) ?? 0) + 1);
  return counts;
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
