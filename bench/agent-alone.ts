import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { cpuSeconds } from "./support/process-cpu.ts";
import { withStage } from "./support/stage.ts";

const root = path.join(import.meta.dirname, "..");
/** The program as it ships where it was built, else the sources. */
const programs = [path.join(root, "dist", "svc-agent.mjs"), path.join(root, "agent", "main.ts")];
const starts = 5;

type Agent = {
  readonly pid: number;
  readonly startedAtMs: number;
  readonly end: () => Promise<void>;
};

/** One agent with nothing else going on: how soon it works, what it costs at rest, how long a job of nothing takes. */
export const agentAlone: Bench = {
  what: "an agent alone: start to first claim, memory and CPU at rest, a noop job from enqueue to its end",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, starts + 2, 1);
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const program = programs.find(existsSync) ?? "";
      const note = path.relative(root, program);
      const run = { url: broker.url, program };
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
      const [resting, working] = fleet.agents.slice(starts);
      if (resting === undefined || working === undefined) return;
      await tellRest(tell, await startAgent(run, resting), { seconds, warmUpS });
      const agent = await startAgent(run, working);
      await timeJobs(connection, { fleet, agent: working, seconds: warmUpS });
      tellJobs(tell, await timeJobs(connection, { fleet, agent: working, seconds }));
      await agent.end();
      connection.close();
    });
  },
};

type Run = { readonly url: string; readonly program: string };

async function startAgent({ url, program }: Run, { token }: FleetAgent): Promise<Agent> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  const startedAtMs = Date.now();
  const flags = [
    "--broker-url",
    url,
    "--data-dir",
    dataDir,
    "--watch-port",
    "0",
    "--min-free-disk",
    "0",
  ];
  const child = spawn(process.execPath, [program, "start", ...flags], {
    env: { PATH: process.env["PATH"], SVC_AGENT_TOKEN: token },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  createInterface(child.stdout).on("line", (line) => {
    if (line.includes("the agent works")) resolve();
  });
  await promise;
  return {
    pid: child.pid ?? 0,
    startedAtMs,
    end: async () => {
      child.kill("SIGTERM");
      await once(child, "exit");
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type Timing = { readonly fleet: Fleet; readonly agent: FleetAgent };

/** A job waits already; when it was claimed is the broker's to tell, by the same host's clock. */
async function timeStart(
  connection: Connection,
  { fleet, agent, run }: Timing & { readonly run: Run },
): Promise<number> {
  const jobId = await enqueue(connection, { fleet, agent });
  const started = await startAgent(run, agent);
  const job = await waitFor(connection, fleet, jobId);
  await started.end();
  return Date.parse(job.started_at) - started.startedAtMs;
}

async function tellRest(
  tell: Tell,
  agent: Agent,
  { seconds, warmUpS }: { readonly seconds: number; readonly warmUpS: number },
): Promise<void> {
  await sleep(warmUpS * 1000);
  const [cpuBefore, beganMs] = [cpuSeconds(agent.pid), performance.now()];
  await sleep(seconds * 1000);
  const share = (cpuSeconds(agent.pid) - cpuBefore) / ((performance.now() - beganMs) / 1000);
  const status = await readFile(`/proc/${agent.pid}/status`, "utf8");
  const rssMb = (Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024) / 1e6;
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
    const jobId = await enqueue(connection, { fleet, agent });
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

async function enqueue(connection: Connection, { fleet, agent }: Timing): Promise<string> {
  const what = `POST /v1/runners/${agent.runnerId}/jobs`;
  const answer = await connection.send(
    requestText(what, fleet.adminToken, '{"type":"noop-deploy","operation":"exec"}'),
  );
  return (JSON.parse(answer.body) as { id: string }).id;
}

async function waitFor(
  connection: Connection,
  { adminToken }: Fleet,
  jobId: string,
): Promise<{ status: string; started_at: string }> {
  for (;;) {
    const what = `GET /v1/runner-jobs/${jobId}/wait?wait=25s`;
    const answer = await connection.send(requestText(what, adminToken));
    const job = JSON.parse(answer.body) as { status: string; started_at: string };
    if (job.status === "finished") return job;
    if (job.status === "failed") throw new Error("a noop job failed");
  }
}
