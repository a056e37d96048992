import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnections, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { jobBody, liveOnce } from "./support/lives.ts";
import { residentBytes } from "./support/process-memory.ts";
import { runClients } from "./support/run-clients.ts";
import { withStage } from "./support/stage.ts";

const wholePolls = 10_000;
const perS = 250;
/** Polls are parked over this time, so that they end and begin again one after the other, as agents' do. */
const parkOverS = 24;
const enqueuers = 16;
/** Executions that nobody reports go back after 30 s: a runner gets its next job later than that, or never. */
const slots = 20;

type Parked = { readonly agent: FleetAgent; readonly connection: Connection };
type Arrivals = {
  readonly sentAtMs: Map<string, number>;
  readonly latenciesMs: number[];
  /** Whatever was not answered as it should be: shown, and told with the figures. */
  readonly refusals: string[];
};

/**
 * From the moment an enqueue is due, in an open loop of 250 a second, to the last byte of the answer of the parked
 * claim that gets the job; 10,000 claims parked, each a runner and a process and a connection of its own. Claims
 * that wait 25 s in vain are parked again at once. The load comes from this process.
 */
export const parkLatency: Bench = {
  what: "enqueue to the parked poll's answer, 10,000 polls parked; memory of a parked poll",
  run: async ({ scale, seconds, warmUpS }, tell) => {
    const count = Math.round(wholePolls * scale);
    await withStage(async ({ db, startBroker }) => {
      const fleet = await givenFleet(db, count + enqueuers, slots);
      const broker = await startBroker();
      const senders = await openConnections(broker.url, enqueuers);
      await warmUp(senders, fleet, { from: count, seconds: warmUpS });
      const emptyBytes = residentBytes(broker.pid);
      const arrivals: Arrivals = { sentAtMs: new Map(), latenciesMs: [], refusals: [] };
      const connections = await openConnections(broker.url, count);
      const parked = await parkAll(connections, fleet, arrivals);
      const parkedBytes = residentBytes(broker.pid);
      await enqueueOpenLoop({ senders, fleet, arrivals, parked }, warmUpS);
      await sleep(2_000);
      arrivals.latenciesMs.length = 0;
      const sent = await enqueueOpenLoop({ senders, fleet, arrivals, parked }, seconds);
      await sleep(1_000);
      for (const { close } of [...connections, ...senders]) close();
      const { latenciesMs, refusals } = arrivals;
      if (refusals.length > 0) process.stderr.write(`${refusals[0]}\n`);
      const note =
        `${latenciesMs.length} of ${sent} answered, ${refusals.length} requests refused, ` +
        `${count} polls parked, ${perS}/s`;
      const p50 = quantile(latenciesMs, 0.5);
      const p99 = quantile(latenciesMs, 0.99);
      tell({
        figure: "enqueue → answer, p50",
        value: p50,
        unit: "ms",
        target: { atMost: 4 },
        note,
      });
      tell({ figure: "enqueue → answer, p99", value: p99, unit: "ms", target: { atMost: 25 } });
      tell({
        figure: "memory of a parked poll",
        value: (parkedBytes - emptyBytes) / count / 1024,
        unit: "KB",
        target: { atMost: 30 },
        note: "growth of the broker's resident memory, its connection included",
      });
      await broker.stop();
    });
  },
};

/** Lives of jobs at runners of their own, so that the broker's code is compiled and its heap is at its working size. */
async function warmUp(
  senders: Connection[],
  fleet: Fleet,
  { from, seconds }: { readonly from: number; readonly seconds: number },
): Promise<void> {
  const clients = senders.flatMap((connection, at) => {
    const agent = fleet.agents[from + at];
    return agent === undefined ? [] : [{ connection, agent, adminToken: fleet.adminToken }];
  });
  await runClients(clients, seconds, liveOnce);
  await sleep(2_000);
}

/** Parks one claim on each connection and keeps one parked from then on; resolves when all are in. */
async function parkAll(
  connections: readonly Connection[],
  { agents }: Fleet,
  arrivals: Arrivals,
): Promise<Parked[]> {
  const parked: Parked[] = [];
  const pauseMs = (parkOverS * 1_000) / connections.length;
  const startedAtMs = performance.now();
  for (const [at, connection] of connections.entries()) {
    const agent = agents[at];
    if (agent === undefined) break;
    parked.push({ agent, connection });
    void keepParked({ agent, connection }, arrivals);
    const aheadMs = (at + 1) * pauseMs - (performance.now() - startedAtMs);
    if (aheadMs > 1) await sleep(aheadMs);
  }
  return parked;
}

async function keepParked({ agent, connection }: Parked, arrivals: Arrivals): Promise<void> {
  const { runnerId, processId, token } = agent;
  const request = requestText(
    `POST /v1/runners/${runnerId}/jobs/claim`,
    token,
    `{"process_id":"${processId}","groups":{"deploy":1}}`,
  );
  for (;;) {
    const answer = await connection.send(request).catch(() => undefined);
    if (answer === undefined) return; // the bench is over
    if (answer.status !== 200) {
      arrivals.refusals.push(answer.body);
      await sleep(1_000);
      continue;
    }
    const sentAtMs = arrivals.sentAtMs.get(runnerId);
    if (sentAtMs === undefined || answer.body.startsWith('{"jobs":[]')) continue;
    arrivals.sentAtMs.delete(runnerId);
    arrivals.latenciesMs.push(performance.now() - sentAtMs);
  }
}

type Loop = {
  readonly senders: readonly Connection[];
  readonly fleet: Fleet;
  readonly arrivals: Arrivals;
  readonly parked: readonly Parked[];
};
let next = 0;

/** Enqueues when it is time to, whatever became of those before; answers how many. */
async function enqueueOpenLoop(
  { senders, fleet, arrivals, parked }: Loop,
  forS: number,
): Promise<number> {
  const startedAtMs = performance.now();
  const total = forS * perS;
  for (let sent = 0; sent < total;) {
    const nowMs = performance.now();
    const dueMs = startedAtMs + (sent * 1_000) / perS;
    if (dueMs > nowMs) {
      await sleep(1);
      continue;
    }
    const { agent } = parked[next % parked.length] ?? {};
    const sender = senders[next % senders.length];
    next += 1;
    sent += 1;
    if (agent === undefined || sender === undefined) continue;
    arrivals.sentAtMs.set(agent.runnerId, nowMs);
    const request = requestText(
      `POST /v1/runners/${agent.runnerId}/jobs`,
      fleet.adminToken,
      jobBody,
    );
    void sender.send(request).then(
      ({ status, body }) => status !== 201 && arrivals.refusals.push(body),
      (error: unknown) => arrivals.refusals.push(String(error)),
    );
  }
  return total;
}
