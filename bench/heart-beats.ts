import { fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type BeatClients, openBeatClients } from "./support/beat-clients.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenBeaters } from "./support/given-beaters.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { withStage } from "./support/stage.ts";

const wholeProcesses = 20_000;
const everyS = 5;
/** Half as many: the load comes from this one process, which may not open more files. */
const processesPerConnection = 2;
const warmUpS = 30;
const tickMs = 5;

type Load = { readonly clients: BeatClients; readonly perS: number };

/**
 * CPU of one broker and its Postgres, as /proc counts it, while 20,000 agents of ours beat every 5 s in an open loop,
 * each with a token of its own; and that of bare Hono under the same requests, which is what HTTP alone costs here.
 */
export const heartBeats: Bench = {
  what: "CPU of the broker and Postgres while 20,000 processes beat every 5 s",
  run: async ({ scale, seconds }, tell) => {
    const count = Math.round(wholeProcesses * scale);
    const connections = Math.ceil(count / processesPerConnection);
    const perS = count / everyS;
    await withStage(async ({ db, postgresPid, startBroker }) => {
      const requests = await givenBeaters(db, count);
      const broker = await startBroker();
      const clients = await openBeatClients(broker.url, requests, connections);
      await beatFor({ clients, perS }, warmUpS);
      const cores = await measure({ clients, perS }, seconds, [broker.pid, postgresPid]);
      clients.close();
      await broker.stop();
      tellCores(tell, cores, await floorCore(requests, connections, perS, seconds));
    });
  },
};

type Measured = {
  readonly cores: readonly number[];
  readonly perS: number;
  readonly p99Ms: number;
  readonly refused: number;
  readonly late: number;
};

async function measure(load: Load, seconds: number, pids: readonly number[]): Promise<Measured> {
  load.clients.take();
  const before = pids.map(cpuSeconds);
  const startedAtMs = performance.now();
  await beatFor(load, seconds);
  const tookS = (performance.now() - startedAtMs) / 1000;
  const cores = pids.map((pid, at) => (cpuSeconds(pid) - (before[at] ?? 0)) / tookS);
  const { latenciesMs, refused, late } = load.clients.take();
  const perS = latenciesMs.length / tookS;
  return { cores, perS, p99Ms: quantile(latenciesMs, 0.99), refused, late };
}

function tellCores(
  tell: Tell,
  { cores, perS, p99Ms, refused, late }: Measured,
  floor: Measured,
): void {
  const [broker = Number.NaN, postgres = Number.NaN] = cores;
  const rate = `${Math.round(perS)} beats/s answered, ${refused} refused, ${late} late`;
  const percent = (core: number) => ({ value: core * 100, unit: "% of a core" });
  const whole = percent(broker + postgres);
  tell({ figure: "broker and Postgres", ...whole, target: { atMost: 30 }, note: rate });
  tell({ figure: "of which Postgres", ...percent(postgres) });
  tell({ figure: "for one beat", value: ((broker + postgres) / perS) * 1e6, unit: "µs" });
  const [bare = Number.NaN] = floor.cores;
  tell({
    figure: "bare Hono, same requests",
    ...percent(bare),
    note: "what HTTP alone costs here",
  });
  tell({ figure: "bare Hono, one request", value: (bare / floor.perS) * 1e6, unit: "µs" });
  tell({ figure: "time to the answer, p99", value: p99Ms, unit: "ms" });
}

/** CPU of bare Hono under the same requests. */
async function floorCore(
  requests: readonly Buffer[],
  connections: number,
  perS: number,
  seconds: number,
): Promise<Measured> {
  const child = fork(path.join(import.meta.dirname, "support", "floor-server.ts"));
  const [{ url }] = (await once(child, "message")) as [{ url: string }]; // as floor-server.ts sends it
  const bare = requests.map((request) =>
    Buffer.from(request.toString().replace("/heart-beats", "/jobs")),
  );
  const clients = await openBeatClients(url, bare, connections);
  await beatFor({ clients, perS }, 5);
  const measured = await measure({ clients, perS }, seconds, [child.pid ?? 0]);
  clients.close();
  child.disconnect();
  await once(child, "exit");
  return measured;
}

/** An open loop: beats are sent when they are due, whatever the broker makes of them. */
async function beatFor({ clients, perS }: Load, seconds: number): Promise<void> {
  const startedAtMs = performance.now();
  let sent = 0;
  for (;;) {
    const elapsedS = (performance.now() - startedAtMs) / 1000;
    if (elapsedS >= seconds) return;
    const due = Math.floor(elapsedS * perS);
    clients.beat(due - sent);
    sent = due;
    await sleep(tickMs);
  }
}
