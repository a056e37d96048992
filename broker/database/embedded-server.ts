import { type ChildProcess, spawn } from "node:child_process";
import { chown, mkdir, open, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { OperatorError } from "../../shared/operator-error.ts";
import { stopServer } from "./embedded-owner.ts";
import type { EmbeddedRuntime } from "./embedded-runtime.ts";
import type { ServerUser } from "./embedded-user.ts";
import { onFreePort, PortTaken } from "./on-free-port.ts";

export type Cluster = {
  readonly runtime: EmbeddedRuntime;
  readonly user: ServerUser | undefined;
  /** The folder Postgres keeps its files in. */
  readonly directory: string;
  readonly logFile: string;
  readonly isDurable: boolean;
};

export type RunningServer = {
  readonly pid: number;
  readonly port: number;
  readonly stop: (withinMs?: number) => Promise<void>;
};

const readyPollMs = 10;
const readyPatienceMs = 60_000;

/** Makes a new cluster; one that was interrupted half-way is thrown away first. */
export async function initCluster(cluster: Cluster, password: string): Promise<void> {
  const { runtime, user, directory, isDurable } = cluster;
  const draft = `${directory}.draft`;
  const passwordFile = `${directory}.password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user !== undefined) {
    await chown(draft, user.uid, user.gid);
    await chown(passwordFile, user.uid, user.gid);
  }
  const args = ["-D", draft, "-U", "postgres", "--encoding=UTF8", "--no-locale"];
  args.push("--auth=scram-sha-256", `--pwfile=${passwordFile}`);
  if (!isDurable) args.push("--no-sync");
  // The password is 160 random bits: stretching it would only slow every connection down.
  if (Number(runtime.majorVersion) >= 16) args.push("-c", "scram_iterations=1");
  const { exited } = await start(cluster, runtime.initdb, args);
  const code = await exited;
  await rm(passwordFile, { force: true });
  if (code !== 0) {
    throw new OperatorError(`Postgres could not be set up: ${await lastWords(cluster.logFile)}`);
  }
  await rename(draft, directory);
}

/** Starts the server of a cluster, by default on a free port, and returns when it accepts connections. */
export async function startServer(
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
  port = 0,
): Promise<RunningServer> {
  const startOn = async (chosen: number) => await startServerOn(chosen, cluster, settings);
  return port === 0 ? await onFreePort(startOn) : await startOn(port);
}

async function startServerOn(
  port: number,
  cluster: Cluster,
  settings: Readonly<Record<string, string>>,
): Promise<RunningServer> {
  const all = { ...settings, port: String(port), listen_addresses: "127.0.0.1" };
  const args = ["-D", cluster.directory, "-c", "unix_socket_directories="];
  for (const [name, value] of Object.entries(all)) args.push("-c", `${name}=${value}`);
  const { child, exited } = await start(cluster, cluster.runtime.postgres, args);
  const { pid } = child;
  if (pid === undefined) throw new OperatorError("Postgres could not be started.");
  if (!(await becameReady(cluster, pid, child))) await refuse(cluster, port);
  // A running server alone is no reason for our process to stay.
  child.unref();
  return {
    pid,
    port,
    stop: async (withinMs) => {
      child.ref();
      await Promise.all([stopServer(pid, withinMs), exited]);
    },
  };
}

/** The exit code comes once it has ended; null when a signal ended it, or it could not be started. */
type Started = { readonly child: ChildProcess; readonly exited: Promise<number | null> };

/** Starts a program as the server's user, away from our terminal's Ctrl-C, its words in the log. */
async function start(cluster: Cluster, program: string, args: readonly string[]): Promise<Started> {
  const log = await open(cluster.logFile, "w", 0o600);
  try {
    const child = spawn(program, args, {
      cwd: "/",
      detached: true,
      env: { LC_ALL: "C", TZ: "UTC", PATH: "/usr/bin:/bin" },
      stdio: ["ignore", log.fd, log.fd],
      ...cluster.user,
    });
    // Whoever leaves without stopping it (an uncaught error, a stop that took too long) must not leave it behind.
    const onExit = () => child.kill("SIGINT");
    process.once("exit", onExit);
    const exited = exitOf(child).finally(() => process.off("exit", onExit));
    return { child, exited };
  } finally {
    await log.close();
  }
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  return await new Promise((resolve) => {
    child.once("error", () => resolve(null));
    child.once("exit", (code) => resolve(code));
  });
}

/** False when the server ends before; it must not be stopped then, its process id may be another's. */
async function becameReady(cluster: Cluster, pid: number, child: ChildProcess): Promise<boolean> {
  const file = path.join(cluster.directory, "postmaster.pid");
  const deadlineMs = performance.now() + readyPatienceMs;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null || child.signalCode !== null) return false;
    const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
    if (lines[0] === String(pid) && lines[7]?.trim() === "ready") return true;
    await sleep(readyPollMs);
  }
  await stopServer(pid);
  throw new OperatorError(`Postgres did not become ready: ${await lastWords(cluster.logFile)}`);
}

async function refuse(cluster: Cluster, port: number): Promise<never> {
  const log = await readFile(cluster.logFile, "utf8").catch(() => "");
  if (log.includes("Address already in use")) {
    throw new PortTaken(port);
  }
  if (log.includes('lock file "postmaster.pid" already exists')) {
    throw new OperatorError(`The data directory ${cluster.directory} is in use.`);
  }
  throw new OperatorError(`Postgres did not start: ${await lastWords(cluster.logFile)}`);
}

async function lastWords(logFile: string): Promise<string> {
  const lines = (await readFile(logFile, "utf8").catch(() => "")).trim().split("\n");
  const cause = lines.findLast((line) => /FATAL|error|PANIC/.test(line)) ?? lines.at(-1) ?? "";
  return `${cause.slice(0, 300)} (see ${logFile})`;
}
