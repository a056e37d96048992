import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import type { AloneTask } from "../peers/alone.ts";
import type { Contestant } from "./in-turns.ts";
import type { Paced } from "./run-clients.ts";

export type PeerServer = {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

export type PeerProcess = {
  /** Works through messages, so this process has nothing to do meanwhile. */
  readonly work: (kind: AloneTask["kind"]) => Contestant["work"];
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

/** Bare Hono, which answers and does nothing else. */
export async function startBareHono(): Promise<PeerServer> {
  return startServer(path.join(import.meta.dirname, "floor-server.ts"), []);
}

/** Hono over pg-boss with a queue for each of these runners, whoever has the token. */
export async function startHonoOverBoss(
  databaseUrl: string,
  token: string,
  runnerIds: readonly string[],
): Promise<PeerServer> {
  return startServer(peer("hono-over-pg-boss.ts"), [databaseUrl, token, ...runnerIds]);
}

/** A library of jobs in a process of its own, without HTTP. */
export async function startAlone(
  library: "pg-boss" | "graphile-worker",
  databaseUrl: string,
): Promise<PeerProcess> {
  const child = fork(peer("alone.ts"), [library, databaseUrl]);
  await firstMessage(child);
  return {
    pid: pidOf(child),
    work: (kind) => async (seconds) => {
      child.send({ kind, seconds } satisfies AloneTask);
      return (await firstMessage(child)) as Paced; // the one answer to a task
    },
    stop: () => stop(child),
  };
}

async function startServer(file: string, args: readonly string[]): Promise<PeerServer> {
  const child = fork(file, args);
  const url = (await firstMessage(child)) as string; // as each of these servers begins
  return { url, pid: pidOf(child), stop: () => stop(child) };
}

function peer(name: string): string {
  return path.join(import.meta.dirname, "..", "peers", name);
}

/** Rejects when it ends without a word. */
async function firstMessage(child: ChildProcess): Promise<unknown> {
  const over = new AbortController();
  try {
    return await Promise.race([
      once(child, "message", { signal: over.signal }).then(([message]) => message as unknown),
      once(child, "exit", { signal: over.signal }).then(([code]) => {
        throw new Error(`a peer ended with ${String(code)}`);
      }),
    ]);
  } finally {
    over.abort();
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error("a peer could not be started");
  return pid;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, "exit");
  child.disconnect();
  await ended;
}
