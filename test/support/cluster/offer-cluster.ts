import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

export type OfferedCluster = {
  /** Asked by GET, it answers with the path of a kubeconfig: the first to ask has the cluster started. */
  readonly url: string;
  readonly end: () => Promise<void>;
};

/** A cluster for whoever asks: a run that needs none starts none, all who ask share one. `onStart` is told its process. */
export async function offerCluster(onStart: (pid: number) => void): Promise<OfferedCluster> {
  let started: Promise<Held> | undefined;
  const secret = `/${randomUUID()}`;
  const server = http.createServer((request, response) => {
    if (request.url !== secret) {
      response.writeHead(404).end();
      return;
    }
    started ??= hold(onStart);
    started
      .then(async ({ kubeconfig }) => response.end(await kubeconfig))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${secret}`,
    end: async () => {
      server.close();
      await started?.then(endHolder);
    },
  };
}

type Held = { readonly holder: ChildProcess; readonly kubeconfig: Promise<string> };

/** Detached: a Ctrl-C is for us, and the holder ends when its pipe does; it removes the folder then. */
async function hold(onStart: (pid: number) => void): Promise<Held> {
  const folder = await mkdtemp(path.join(tmpdir(), "svc-cluster-"));
  const program = path.join(import.meta.dirname, "hold-cluster.ts");
  const holder = spawn(process.execPath, [program, folder], {
    detached: true,
    stdio: ["pipe", "pipe", "inherit"],
  });
  if (holder.pid !== undefined) onStart(holder.pid);
  return { holder, kubeconfig: readyFile(holder, folder) };
}

async function readyFile({ stdout }: ChildProcess, folder: string): Promise<string> {
  if (stdout === null) throw new Error("the cluster's process has no output");
  for await (const line of createInterface(stdout)) {
    if (line === "ready") return path.join(folder, "kubeconfig");
    throw new Error(`the cluster did not start: ${line}`);
  }
  throw new Error("the cluster's process ended without a word");
}

async function endHolder({ holder }: Held): Promise<void> {
  if (holder.exitCode !== null || holder.signalCode !== null) return;
  const ended = once(holder, "exit");
  holder.stdin?.end();
  await ended;
}
