import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection } from "./http-client.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { givenFleet } from "./support/given-fleet.ts";
import {
  type AgentProgram,
  agentProgram,
  enqueue,
  type LoneAgent,
  startLoneAgent,
  type Timing,
  waitFor,
} from "./support/lone-agent.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { residentBytes } from "./support/process-memory.ts";
import { withStage } from "./support/stage.ts";

const starts = 5;
const noop = '{"type":"noop-deploy","operation":"exec"}';

/** One agent with nothing else going on: how soon it works, what it costs at rest, how long a job of nothing takes. */
export const agentAlone: Bench = {
  what: "an agent alone: start to first claim, memory and CPU at rest, a noop job from enqueue to its end",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, starts + 2, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const { note, ...program } = agentProgram();
      const run = { url: broker.url, ...program };
      const took: number[] = [];
      for (const agent of fleet.agents.slice(0, starts)) {
        took.push(await timeStart(connection, { fleet, agent, run }));
      }
      const target = { atMost: 500 };
      const p50 = quantile(took, 0.5);
      tell({
        figure: "process start to first job claimed, p50",
        value: p50,
        unit: "ms",
        target,
        note,
      });
      tell({ figure: "a bare Node, start to end, p50", value: await bareNode(), unit: "ms" });
      const [resting, working] = fleet.agents.slice(starts);
      if (resting === undefined || working === undefined) return;
      await tellRest(tell, await startLoneAgent(run, resting), { seconds, warmUpS });
      const agent = await startLoneAgent(run, working);
      await timeJobs(connection, { fleet, agent: working, seconds: warmUpS });
      tellJobs(tell, await timeJobs(connection, { fleet, agent: working, seconds }));
      await agent.end();
      connection.close();
    });
  },
};

/** What Node alone takes here. */
async function bareNode(): Promise<number> {
  const took: number[] = [];
  for (let nth = 0; nth < starts; nth += 1) {
    const startedMs = performance.now();
    await once(spawn(process.execPath, ["-e", "0"], { stdio: "ignore" }), "exit");
    took.push(performance.now() - startedMs);
  }
  return quantile(took, 0.5);
}

/** A job waits already; when it was claimed is the broker's to tell, by the same host's clock. */
async function timeStart(
  connection: Connection,
  { fleet, agent, run }: Timing & { readonly run: AgentProgram },
): Promise<number> {
  const jobId = await enqueue(connection, { fleet, agent }, noop);
  const started = await startLoneAgent(run, agent);
  const job = await waitFor(connection, fleet, jobId);
  await started.end();
  return Date.parse(job.started_at) - started.startedAtMs;
}

async function tellRest(
  tell: Tell,
  agent: LoneAgent,
  { seconds, warmUpS }: { readonly seconds: number; readonly warmUpS: number },
): Promise<void> {
  await sleep(warmUpS * 1000);
  const [cpuBefore, beganMs] = [cpuSeconds(agent.pid), performance.now()];
  await sleep(seconds * 1000);
  const share = (cpuSeconds(agent.pid) - cpuBefore) / ((performance.now() - beganMs) / 1000);
  const rssMb = residentBytes(agent.pid) / 1e6;
  tell({ figure: "memory at rest (RSS)", value: rssMb, unit: "MB", target: { atMost: 100 } });
  tell({ figure: "CPU at rest", value: share * 100, unit: "% of a core", target: { atMost: 0.5 } });
  await agent.end();
}

async function timeJobs(
  connection: Connection,
  { fleet, agent, seconds }: Timing & { readonly seconds: number },
): Promise<number[]> {
  const took: number[] = [];
  const endMs = performance.now() + seconds * 1000;
  while (performance.now() < endMs) {
    const startedMs = performance.now();
    const jobId = await enqueue(connection, { fleet, agent }, noop);
    await waitFor(connection, fleet, jobId);
    took.push(performance.now() - startedMs);
  }
  return took;
}

function tellJobs(tell: Tell, took: readonly number[]): void {
  const figure = "noop, from enqueue to finished";
  const note = `${took.length} times, one after the other`;
  const p50 = quantile([...took], 0.5);
  tell({ figure: `${figure}, p50`, value: p50, unit: "ms", target: { atMost: 15 }, note });
  tell({ figure: `${figure}, p99`, value: quantile([...took], 0.99), unit: "ms", note });
}
