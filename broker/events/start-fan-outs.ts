import { randomUUID } from "node:crypto";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { passOnFanOuts } from "./event-queries.ts";
import { fanOutEvents } from "./fan-out-events.ts";

/** So many orgs have a batch under way; the others wait in line, so that no org holds up another. */
const orgsAtOnce = 4;
/** Between batches of one org: events that come meanwhile travel together. */
const restMs = 10;
/** After one that failed, such as where a lock was held for longer than a statement waits. */
const againMs = 1000;

export type FanOuts = {
  readonly ask: (org: OrgId) => void;
  /** Lets the batches that are under way end, and leaves the rest to other brokers. */
  readonly stop: () => Promise<void>;
};

/** Fans out the events of orgs of which it hears, a batch at a time in turns. */
export function startFanOuts(broker: Broker): FanOuts {
  const lease = randomUUID();
  const waiting = new Set<OrgId>();
  const running = new Map<OrgId, Promise<void>>();
  const resting = new Map<OrgId, NodeJS.Timeout>();
  let isStopped = false;

  function ask(org: OrgId): void {
    if (isStopped) return;
    waiting.add(org);
    begin();
  }

  function begin(): void {
    for (const org of waiting) {
      if (running.size >= orgsAtOnce) return;
      if (running.has(org) || resting.has(org)) continue;
      waiting.delete(org);
      running.set(org, run(org));
    }
  }

  async function run(org: OrgId): Promise<void> {
    let isFailed = false;
    const isMore = await fanOutEvents(broker, org, lease).catch((error: unknown) => {
      broker.log.warn({ err: error, org_id: org }, "a fan-out of events failed; it is made again");
      isFailed = true;
      return true;
    });
    if (isMore && !isStopped) waiting.add(org);
    running.delete(org);
    if (isStopped) return;
    const rested = (): void => {
      resting.delete(org);
      begin();
    };
    resting.set(org, setTimeout(rested, isFailed ? againMs : restMs));
    begin();
  }

  const leave = broker.wakes.subscribe("events:", (topic) =>
    ask(topic.slice(topics.events("").length) as OrgId),
  );
  return {
    ask,
    stop: async () => {
      isStopped = true;
      leave();
      waiting.clear();
      for (const timer of resting.values()) clearTimeout(timer);
      await Promise.all(running.values());
      await passOnFanOuts(broker.db, lease).catch((error: unknown) =>
        broker.log.warn({ err: error }, "others go on with the fan-outs of events in five seconds"),
      );
    },
  };
}
