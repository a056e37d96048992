import { type ChildProcess, spawn } from "node:child_process";
import { createServer } from "node:net";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loopbackEgress } from "../../test/support/broker/loopback-egress.ts";
import { testSealKeys } from "../../test/support/broker/seal-keys.ts";

export type BrokerProcess = {
  readonly url: string;
  readonly pid: number;
  readonly stop: () => Promise<void>;
};

const entry = path.join(import.meta.dirname, "..", "..", "broker", "main.ts");
const patienceMs = 20_000;

/** A broker of its own over the database, as in production, but quiet and without rate limits. */
export async function startBrokerProcess(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<BrokerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [entry], {
    env: {
      ...process.env,
      // As the image and the systemd unit have it.
      MALLOC_MMAP_THRESHOLD_: "131072",
      MALLOC_ARENA_MAX: "2",
      DATABASE_URL: databaseUrl,
      SVC_PORT: String(port),
      SVC_DRAIN_LINGER_MS: "0",
      SVC_SEAL_KEYS: testSealKeys,
      ...loopbackEgress,
      SVC_LOG_LEVEL: "warn",
      SVC_RATE_TOKEN_PER_S: "0",
      SVC_MAX_CONNECTIONS_PER_ADDRESS: "0", // every client of a bench has this machine's address
      SVC_RATE_ORG_PER_S: "0",
      ...env,
    },
    stdio: ["ignore", process.stderr, "inherit"],
  });
  const url = `http://127.0.0.1:${port}`;
  await untilReady(child, url);
  return { url, pid: child.pid ?? 0, stop: () => stop(child) };
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadlineMs = performance.now() + patienceMs;
  while (performance.now() < deadlineMs) {
    if (child.exitCode !== null) throw new Error(`the broker ended with ${child.exitCode}`);
    if ((await isOk(`${url}/livez`)) && (await isOk(`${url}/readyz`))) return;
    await sleep(200);
  }
  child.kill("SIGKILL");
  throw new Error("the broker did not become ready");
}

function isOk(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
