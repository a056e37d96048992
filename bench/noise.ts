import { fork } from "node:child_process";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { OrgId } from "../broker/orgs/org-id.ts";
import { givenEvents } from "../test/support/webhooks/given-events.ts";
import type { Abuse, AbuseCounts } from "./support/abuser.ts";
import type { Bench, Tell } from "./support/bench.ts";
import type { BrokerProcess } from "./support/broker-process.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, givenFleet } from "./support/given-fleet.ts";
import { watchNeighbour } from "./support/neighbour.ts";
import { givenNoisyOrg } from "./support/noisy-org.ts";
import { residentBytes, residentOfTree } from "./support/process-memory.ts";
import { type Stage, withStage } from "./support/stage.ts";
import { type EventReceivers, openReceivers } from "./support/watch-events.ts";

/** A broker as it is set up by itself, but for its receivers on the loopback: its bounds are what is looked at. */
const usual = { SVC_RATE_TOKEN_PER_S: "200", SVC_RATE_ORG_PER_S: "2000" };
const webhooks = 200;
const eventEveryMs = 250;
const restS = 60;
const mebibyte = 1024 ** 2;

/** All that costs a broker much for few bytes, at once, by one org: another org's requests and events, and memory. */
export const noise: Bench = {
  what: "one org's configs, templates, readmes and dead webhooks: another org's requests and events, memory",
  run: async ({ seconds, scale }, tell) => {
    await withStage(async (stage) => {
      const neighbour = await givenFleet(stage.db, 1, 100);
      const orgId = neighbour.orgId as OrgId; // it was made with that id
      const receivers = await openReceivers(stage.db, orgId);
      try {
        const broker = await stage.startBroker(usual);
        const dead = { url: receivers.deadUrl, webhooks: Math.max(1, webhooks * scale) };
        const noisy = await givenNoisyOrg(stage.db, broker.url, dead);
        const given = { stage, broker, neighbour, receivers, noisy, seconds };
        await measure(given, tell);
        await measure(given, (one) => tell({ ...one, figure: `once more: ${one.figure}` }));
      } finally {
        receivers.close();
      }
    });
  },
};

type Noise = {
  readonly stage: Stage;
  readonly broker: BrokerProcess;
  readonly neighbour: Fleet;
  readonly receivers: EventReceivers;
  readonly noisy: { readonly orgId: OrgId; readonly abuses: readonly Abuse[] };
  readonly seconds: number;
};

async function measure(given: Noise, tell: Tell): Promise<void> {
  const { broker, noisy, seconds } = given;
  const quiet = await watchFor(given, Math.min(10, seconds));
  tell({ figure: "alone: another org's requests, p95", value: p95(quiet.requests), unit: "ms" });
  tell({ figure: "alone: its events, p95", value: p95(quiet.events), unit: "ms" });
  const abuser = fork(path.join(import.meta.dirname, "support", "abuser.ts"), { stdio: "inherit" });
  abuser.send([...noisy.abuses]);
  const over = new AbortController();
  const moving = moveForTheDead(given, over.signal);
  const seen = await watchFor(given, seconds);
  over.abort();
  await moving;
  const counts = await stopAbuser(abuser);
  tellSeen(seen, tell);
  await pause(Math.min(restS, seconds * 4) * 1000);
  const after = residentOf(broker);
  tell({
    figure: "resident memory of the broker and its children, a minute after",
    value: after.allMb,
    unit: "MB",
    target: { atMost: 350 },
    note: `the broker alone ${Math.round(after.brokerMb)} MB`,
  });
  for (const [kind, statuses] of Object.entries(counts)) {
    const all = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    const note = Object.entries(statuses).map(([status, count]) => `${status}: ${count}`);
    tell({ figure: `noise: ${kind}`, value: all / seconds, unit: "/s", note: note.join(", ") });
  }
}

type Seen = {
  readonly requests: readonly number[];
  readonly failures: number;
  readonly events: readonly number[];
  readonly resident: readonly Resident[];
};

type Resident = { readonly allMb: number; readonly brokerMb: number };

const residentOf = ({ pid }: BrokerProcess): Resident => ({
  allMb: residentOfTree(pid) / mebibyte,
  brokerMb: residentBytes(pid) / mebibyte,
});

function tellSeen({ requests, failures, events, resident }: Seen, tell: Tell): void {
  const most = (of: (one: Resident) => number): number => quantile(resident.map(of), 1);
  const all = resident.map(({ allMb }) => allMb);
  tell({
    figure: "another org's requests, p95",
    value: p95(requests),
    unit: "ms",
    target: { atMost: 100 },
    note: `${requests.length} requests, ${failures} refused, longest ${Math.round(quantile(requests, 1))} ms`,
  });
  tell({
    figure: "another org's events, p95",
    value: p95(events),
    unit: "ms",
    target: { atMost: 1000 },
    note: `${events.length} events, longest ${Math.round(quantile(events, 1))} ms`,
  });
  tell({
    figure: "resident memory of the broker and its children, peak",
    value: most(({ allMb }) => allMb),
    unit: "MB",
    target: { atMost: 600 },
    note: `median ${Math.round(quantile(all, 0.5))} MB; the broker alone at most ${Math.round(most(({ brokerMb }) => brokerMb))} MB, its children ${Math.round(most(({ allMb, brokerMb }) => allMb - brokerMb))} MB`,
  });
}

const p95 = (values: readonly number[]): number => quantile(values, 0.95);

async function watchFor({ broker, neighbour, receivers }: Noise, seconds: number): Promise<Seen> {
  let isOver = false;
  const over = (): boolean => isOver;
  const requests = watchNeighbour(broker, neighbour, over);
  const events = receivers.watch(neighbour.orgId as OrgId, eventEveryMs, over); // it was made with that id
  const resident: Resident[] = [];
  const untilMs = performance.now() + seconds * 1000;
  while (performance.now() < untilMs) {
    resident.push(residentOf(broker));
    await pause(250);
  }
  isOver = true;
  const { latencies, failures } = await requests;
  return { requests: latencies, failures, events: await events, resident };
}

/** Moves of the loud org, each of which is an event for all its webhooks, whose receiver never answers. */
async function moveForTheDead({ stage, noisy }: Noise, over: AbortSignal): Promise<void> {
  for (let nth = 0; !over.aborted; nth += 1) {
    await givenEvents(stage.db, [{ orgId: noisy.orgId, workflowId: `wfl_dead${nth}` }]);
    await pause(200, undefined, { signal: over }).catch(() => {});
  }
}

async function stopAbuser(abuser: ReturnType<typeof fork>): Promise<AbuseCounts> {
  return await new Promise((resolve) => {
    // the one message that it sends
    abuser.once("message", (message) => resolve((message as { counts: AbuseCounts }).counts));
    abuser.send("stop");
  });
}
