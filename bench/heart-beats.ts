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
/** A process that holds no job and has a claim parked leaves two beats of three out. */
const restingEveryS = 3 * everyS;
/** The load comes from this one process, which may open only so many files. */
const processesPerConnection = 4;
const tickMs = 5;

/**
 * CPU of one broker and its Postgres, as /proc counts it, while 20,000 agents of ours beat in an open loop, each with a
 * token of its own: as often as those that hold jobs, and as seldom as those that wait for some; and that of bare Hono
 * under the same requests, which is what HTTP alone costs here. Claims, of which each that waits makes one in 25 s, are
 * in no figure.
 */
export const heartBeats: Bench = {
  what: "CPU of the broker and Postgres while 20,000 processes beat, busy and at rest",
  run: async ({ scale, seconds, warmUpS }, tell) => {
    const count = Math.round(wholeProcesses * scale);
    const [perS, restingPerS] = [count / everyS, count / restingEveryS];
    await withStage(async ({ db, postgresPid, startBroker }) => {
      const requests = await givenBeaters(db, count);
      const bareRequests = requests.map((request) =>
        Buffer.from(request.toString().replace("/heart-beats", "/jobs")),
      );
      const broker = await startBroker();
      const hono = await startBareHono();
      const ours = await openBeaters(broker.url, requests);
      const bare = await openBeaters(hono.url, bareRequests);
      const pids = { broker: broker.pid, Postgres: postgresPid };
      const turns = await inTurns(
        {
          busy: { work: ours.workAt(perS), pids },
          resting: { work: ours.workAt(restingPerS), pids },
          bare: { work: bare.workAt(perS), pids: { server: hono.pid } },
        },
        { warmUpS, seconds, onWarm: async () => void ours.seen.latenciesMs.splice(0) },
      );
      for (const { close } of [ours, bare]) close();
      await hono.stop();
      tellBeats(tell, { turns, seen: ours.seen, perS, restingPerS });
    });
  },
};

type Seen = { readonly latenciesMs: number[]; refused: number; late: number };
type Beaters = {
  readonly workAt: (perS: number) => Contestant["work"];
  readonly seen: Seen;
  readonly close: () => void;
};

async function openBeaters(url: string, requests: readonly Buffer[]): Promise<Beaters> {
  const connections = Math.ceil(requests.length / processesPerConnection);
  const clients = await openBeatClients(url, requests, connections);
  const seen: Seen = { latenciesMs: [], refused: 0, late: 0 };
  return {
    seen,
    close: clients.close,
    workAt: (perS) => async (seconds) => {
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
  readonly turns: Record<"busy" | "resting" | "bare", Turns>;
  readonly seen: Seen;
  readonly perS: number;
  readonly restingPerS: number;
};

/** A share of a core is what one beat costs, as often as beats are due. */
function tellBeats(tell: Tell, { turns, seen, perS, restingPerS }: Beaten): void {
  const { busy, resting, bare } = turns;
  const core = (us: number, times = perS) => ({ value: (us * times) / 1e4, unit: "% of a core" });
  const answered = Math.round(quantile(busy.rates, 0.5));
  const note = `${answered} beats/s answered, ${seen.refused} refused, ${seen.late} late`;
  tell({ figure: "broker and Postgres, all hold jobs", ...core(serversCpuUs(busy)), note });
  tell({ figure: "of which Postgres", ...core(busy.cpuUs["Postgres"] ?? Number.NaN) });
  tell({
    figure: "broker and Postgres, all wait for jobs",
    ...core(serversCpuUs(resting), restingPerS),
    target: { atMost: 35 },
    note: "without their claims",
  });
  tell({
    figure: "bare Hono, as many as of those that hold jobs",
    ...core(serversCpuUs(bare)),
    note: "what HTTP alone costs here",
  });
  for (const [name, one] of Object.entries({ "all hold jobs": busy, "all wait": resting, bare })) {
    tell({ figure: `one beat, ${name}`, value: serversCpuUs(one), unit: "µs" });
  }
  const times = serversCpuUs(busy) / serversCpuUs(bare);
  tell({ figure: "a beat ÷ bare Hono's", value: times, unit: "×" });
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
