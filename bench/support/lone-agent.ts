import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { type Connection, requestText } from "../http-client.ts";
import type { Fleet, FleetAgent } from "./given-fleet.ts";

const root = path.join(import.meta.dirname, "..", "..");
/** The program as it ships where it was built, else the sources. */
const programs = [path.join(root, "dist", "svc-agent.mjs"), path.join(root, "agent", "main.ts")];

export type LoneAgent = {
  readonly dataDir: string;
  readonly pid: number;
  readonly startedAtMs: number;
  readonly end: () => Promise<void>;
};

export type AgentProgram = {
  readonly url: string;
  readonly program: string;
  /** Hears every line that it logs. */
  readonly onLine?: (line: string) => void;
};
export type Timing = { readonly fleet: Fleet; readonly agent: FleetAgent };

/** What an agent is started from, and how that is told. */
export function agentProgram(): { readonly program: string; readonly note: string } {
  const program = programs.find(existsSync) ?? "";
  return { program, note: path.relative(root, program) };
}

/** Starts an agent of the runner and waits until it works. */
export async function startLoneAgent(
  { url, program, onLine }: AgentProgram,
  { token }: FleetAgent,
  more: readonly string[] = [],
): Promise<LoneAgent> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  const tokenFile = path.join(dataDir, "token");
  await writeFile(tokenFile, token, { mode: 0o600 });
  const startedAtMs = Date.now();
  const flags = [
    "--broker-url",
    url,
    "--token-file",
    tokenFile,
    "--data-dir",
    dataDir,
    "--watch-port",
    "0",
    "--min-free-disk",
    "0",
    ...more,
  ];
  const child = spawn(process.execPath, [program, "start", ...flags], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  createInterface(child.stdout).on("line", (line) => {
    onLine?.(line);
    if (line.includes("agent started")) resolve();
  });
  await promise;
  return {
    pid: child.pid ?? 0,
    dataDir,
    startedAtMs,
    end: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGTERM");
        await once(child, "exit");
      }
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Enqueues a job, a JSON text, and answers its id. */
export async function enqueue(
  connection: Connection,
  { fleet, agent }: Timing,
  job: string,
): Promise<string> {
  const what = `POST /v1/runners/${agent.runnerId}/jobs`;
  const answer = await connection.send(requestText(what, fleet.adminToken, job));
  return (JSON.parse(answer.body) as { id: string }).id;
}

/** Waits until the job has finished; throws when it failed. */
export async function waitFor(
  connection: Connection,
  { adminToken }: Fleet,
  jobId: string,
): Promise<{ status: string; started_at: string }> {
  for (;;) {
    const what = `GET /v1/runner-jobs/${jobId}/wait?wait=25s`;
    const answer = await connection.send(requestText(what, adminToken));
    const job = JSON.parse(answer.body) as { status: string; started_at: string };
    if (job.status === "finished") return job;
    if (job.status === "failed") throw new Error("a job failed");
  }
}
