import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type FileHandle, mkdir, open, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readPresence } from "../../agent/paths/data-dir.ts";
import { exitCodes } from "../../agent/shutdown/exit-codes.ts";
import type { CliConfig } from "../config.ts";
import { agentProgram } from "./agent-program.ts";

export type DevAgent = {
  readonly logFile: string;
  /** Ends it within the time there is, by force when it must; what it was doing is stopped. */
  readonly stop: (withinMs: number) => Promise<void>;
};

export type DevAgentOptions = {
  readonly url: string;
  readonly runner: { readonly id: string; readonly token: string };
  /** Of its folder and its log in the data directory. */
  readonly name: "agent" | "agent-builds";
  /** Of a customer, or of the org's own runner. */
  readonly mode: "install" | "org";
  /** The data directory of `svc dev`; the agent's own is in it. */
  readonly dataDir: string;
  readonly config: CliConfig;
  readonly say: (words: string) => void;
};

const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** Whoever lived so long was all right: its next fall is a first one again. */
const wellMs = 60_000;
/** To start it again would end the same way. */
const hopeless: ReadonlySet<number> = new Set([
  exitCodes.usage.code,
  exitCodes.unauthorized.code,
  exitCodes.config.code,
]);

/** Runs an agent beside the broker, as a process of its own, and starts it again when it ends unasked. */
export async function startDevAgent(options: DevAgentOptions): Promise<DevAgent> {
  const { name } = options;
  const dataDir = path.join(options.dataDir, name);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await endFormer(dataDir);
  const tokenFile = path.join(dataDir, "token");
  await writeFile(tokenFile, `${options.runner.token}\n`, { mode: 0o600 });
  const logFile = path.join(options.dataDir, `${name}.log`);
  await rename(logFile, `${logFile}.old`).catch(() => {}); // there is none at the first start
  const log = await open(logFile, "a", 0o600);
  const stopping = new AbortController();
  const start = (): ChildProcess => {
    const flags = flagsOf(options, { dataDir, tokenFile });
    return startChild(flags, options.config, log);
  };
  let child = start();
  const supervising = supervise({
    options,
    stopping: stopping.signal,
    current: () => child,
    restart: () => void (child = start()),
  });
  return {
    logFile,
    stop: async (withinMs) => {
      stopping.abort();
      await end(child, withinMs);
      await supervising;
      await log.close();
    },
  };
}

/** Whoever killed a former `svc dev` left its agent behind; the next one takes over what it was doing. */
async function endFormer(dataDir: string): Promise<void> {
  const former = await readPresence(dataDir);
  if (former === undefined) return;
  process.kill(former.pid, "SIGKILL");
  while ((await readPresence(dataDir)) !== undefined) await sleep(20);
}

function flagsOf(
  { url, runner, mode }: DevAgentOptions,
  { dataDir, tokenFile }: { readonly dataDir: string; readonly tokenFile: string },
): string[] {
  const settings = {
    "broker-url": url,
    "token-file": tokenFile,
    runner: runner.id,
    mode,
    "data-dir": dataDir,
    "watch-port": "auto",
    "min-free-disk": "100MiB",
    "min-free-inodes": "1000",
    // Ctrl-C stops everything within seconds.
    "drain-timeout": "0s",
    "cancel-timeout": "1s",
    "flush-timeout": "1s",
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

function startChild(flags: readonly string[], { env }: CliConfig, log: FileHandle): ChildProcess {
  const [program, ...first] = agentProgram();
  const own = Object.entries(env).filter(([name]) => !/^(?:SVC_|DATABASE_URL$)/.test(name));
  return spawn(program, [...first, "start", ...flags], {
    env: Object.fromEntries(own),
    stdio: ["ignore", log.fd, log.fd],
    // Ctrl-C reaches every process of the terminal's group; this one is told by us, in its turn.
    detached: true,
  });
}

type Supervision = {
  readonly options: DevAgentOptions;
  readonly stopping: AbortSignal;
  readonly current: () => ChildProcess;
  readonly restart: () => void;
};

async function supervise({ options, stopping, current, restart }: Supervision): Promise<void> {
  let pauseMs = firstPauseMs;
  for (;;) {
    const startedMs = performance.now();
    const code = await exitOf(current());
    if (stopping.aborted) return;
    if (performance.now() - startedMs > wellMs) pauseMs = firstPauseMs;
    const words = endWords(code);
    const isOver = code === exitCodes.done.code || (code !== null && hopeless.has(code));
    const isFault = code !== exitCodes.done.code && code !== exitCodes.restart.code;
    const next = isOver ? "npm start starts it again." : "It is started again.";
    options.say(`${words} ${isFault ? `Its log says more; ${lowered(next)}` : next}`);
    if (isOver) return;
    if (code !== exitCodes.restart.code) {
      await sleep(pauseMs, undefined, { signal: stopping }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, longestPauseMs);
    }
    if (stopping.aborted) return;
    restart();
  }
}

const lowered = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

function endWords(code: number | null): string {
  if (code === exitCodes.done.code) return "The agent was told to shut down.";
  if (code === exitCodes.restart.code) return "The agent was told to restart.";
  const known = Object.values(exitCodes).find((one) => one.code === code);
  return `The agent ended (${code ?? "killed"})${known === undefined ? "." : `: ${known.means}`}`;
}

async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  return child.exitCode;
}

async function end(child: ChildProcess, withinMs: number): Promise<void> {
  child.kill("SIGTERM");
  const over = new AbortController();
  const late = sleep(withinMs, undefined, { signal: over.signal }).then(
    () => child.kill("SIGKILL"),
    () => {},
  );
  await exitOf(child);
  over.abort();
  await late;
}
