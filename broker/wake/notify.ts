import { hash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { Db } from "../database/connect.ts";
import type { Log } from "../log.ts";
import type { Topic } from "./wakes.ts";

const channel = "svc_wake";
const flushMs = 8;
/** Postgres takes payloads of up to 8,000 bytes. */
const payloadBytes = 7_800;

/** After this time without another broker's ping a broker counts as alone: every broker pings every 5 s. */
const aloneAfterMs = 12_000;

export type Sender = {
  readonly send: (changed: readonly Topic[]) => void;
  /** Another broker was heard, so notifications have a receiver. */
  readonly receivePeer: () => void;
  readonly stop: () => Promise<void>;
};

/**
 * Sends topics to the other brokers, if there are any: one NOTIFY for all changes within 8 ms, after their
 * commits. It is not stored: a crash loses it, and the scans make up for it.
 */
export function makeSender(db: Db, brokerId: string, log: Log): Sender {
  let waiting = new Set<Topic>();
  let underWay: Promise<void> | undefined;
  let peerAtMs = performance.now();

  function send(changed: readonly Topic[]): void {
    if (performance.now() - peerAtMs > aloneAfterMs) return;
    for (const topic of changed) waiting.add(topic);
    underWay ??= later();
  }

  async function later(): Promise<void> {
    await pause(flushMs);
    await flush();
  }

  async function flush(): Promise<void> {
    const payloads = pack(brokerId, waiting);
    waiting = new Set();
    try {
      await db`
        select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, p)
          from unnest(${payloads}::text[]) p`;
    } catch (error) {
      // Other brokers find out by their own scans within two seconds.
      log.warn({ err: error }, "could not notify the other brokers");
    }
    underWay = undefined;
    if (waiting.size > 0) underWay = later();
  }

  return {
    send,
    receivePeer: () => {
      peerAtMs = performance.now();
    },
    stop: async () => {
      await underWay;
    },
  };
}

function pack(brokerId: string, changed: ReadonlySet<Topic>): string[] {
  const payloads: string[] = [];
  let payload = brokerId;
  for (const topic of changed) {
    if (payload.length + topic.length + 1 > payloadBytes) {
      payloads.push(payload);
      payload = brokerId;
    }
    payload += `\n${topic}`;
  }
  return [...payloads, payload];
}

/** A short name for this broker process among its peers. */
export function newBrokerId(): string {
  return hash("sha256", crypto.randomUUID()).slice(0, 12);
}
