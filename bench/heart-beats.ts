import { setTimeout as sleep } from "node:timers/promises";
import { openBeatClients } from "./support/beat-clients.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenBeaters } from "./support/given-beaters.ts";
import { type Contestant, inTurns, serversCpuUs, type Turns } from "./support/in-turns.ts";
import { startBareHono } from "./support/peers.ts";
import { withStage } from "./support/stage.ts";

const wholeProcesses = 20_000;
const everyS = 5;
/** Half as many: the load comes from this one process, which may not open more files. */
const processesPerConnection = 2;
const tickMs = 5;

/**
 * CPU of one broker and its Postgres, as /proc counts it, while 20,000 agents of ours beat every 5 s in an open loop,
 * each with a token of its own; and that of bare Hono under the same requests, which is what HTTP alone costs here.
 */
export const heartBeats: Bench = {
  what: "CPU of the broker and Postgres while 20,000 processes beat every 5 s",
  run: async ({ scale, seconds, warmUpS }, tell) => {
    const count = Math.round(wholeProcesses * scale);
    const perS = count / everyS;
    await withStage(async ({ db, postgresPid, startBroker }) => {
      const requests = await givenBeaters(db, count);
      const bareRequests = requests.map((request) =>
        Buffer.from(request.toString().replace("/heart-beats", "/jobs")),
      );
      const broker = await startBroker();
      const hono = await startBareHono();
      const ours = await openBeaters(broker.url, requests, perS);
      const bare = await openBeaters(hono.url, bareRequests, perS);
      const pids = { broker: broker.pid, Postgres: postgresPid };
      const turns = await inTurns(
        {
          ours: { work: ours.work, pids },
          bare: { work: bare.work, pids: { server: hono.pid } },
        },
        { warmUpS, seconds, onWarm: async () => void ours.seen.latenciesMs.splice(0) },
      );
      for (const { close } of [ours, bare]) close();
      await hono.stop();
      tellBeats(tell, { turns, seen: ours.seen, perS });
    });
  },
};

type Seen = { readonly latenciesMs: number[]; refused: number; late: number };
type Beaters = {
  readonly work: Contestant["work"];
  readonly seen: Seen;
  readonly close: () => void;
};

async function openBeaters(
  url: string,
  requests: readonly Buffer[],
  perS: number,
): Promise<Beaters> {
  const connections = Math.ceil(requests.length / processesPerConnection);
  const clients = await openBeatClients(url, requests, connections);
  const seen: Seen = { latenciesMs: [], refused: 0, late: 0 };
  return {
    seen,
    close: clients.close,
    work: async (seconds) => {
      const startedAtMs = performance.now();
      await sendFor(clients.beat, { perS, seconds });
      const { latenciesMs, refused, late } = clients.take();
      for (const latencyMs of latenciesMs) seen.latenciesMs.push(latencyMs);
      seen.refused += refused;
      seen.late += late;
      return { count: latenciesMs.length, seconds: (performance.now() - startedAtMs) / 1000 };
    },
  };
}

type Beaten = {
  readonly turns: Record<"ours" | "bare", Turns>;
  readonly seen: Seen;
  readonly perS: number;
};

/** A share of a core is what one beat costs, as often as beats are due. */
function tellBeats(tell: Tell, { turns: { ours, bare }, seen, perS }: Beaten): void {
  const core = (us: number) => ({ value: (us * perS) / 1e4, unit: "% of a core" });
  const answered = Math.round(quantile(ours.rates, 0.5));
  const note = `${answered} beats/s answered, ${seen.refused} refused, ${seen.late} late`;
  const target = { atMost: 35 };
  tell({ figure: "broker and Postgres", ...core(serversCpuUs(ours)), target, note });
  tell({ figure: "of which Postgres", ...core(ours.cpuUs["Postgres"] ?? Number.NaN) });
  tell({ figure: "for one beat", value: serversCpuUs(ours), unit: "µs" });
  const alone = "what HTTP alone costs here";
  tell({ figure: "bare Hono, same requests", ...core(serversCpuUs(bare)), note: alone });
  tell({ figure: "bare Hono, one request", value: serversCpuUs(bare), unit: "µs" });
  tell({
    figure: "CPU of a beat ÷ bare Hono's",
    value: serversCpuUs(ours) / serversCpuUs(bare),
    unit: "×",
  });
  tell({ figure: "time to the answer, p99", value: quantile(seen.latenciesMs, 0.99), unit: "ms" });
}

/** An open loop: beats are sent when they are due, whatever the server makes of them. */
async function sendFor(
  beat: (count: number) => void,
  { perS, seconds }: { readonly perS: number; readonly seconds: number },
): Promise<void> {
  const startedAtMs = performance.now();
  let sent = 0;
  for (;;) {
    const elapsedS = (performance.now() - startedAtMs) / 1000;
    if (elapsedS >= seconds) return;
    const due = Math.floor(elapsedS * perS);
    beat(due - sent);
    sent = due;
    await sleep(tickMs);
  }
}
