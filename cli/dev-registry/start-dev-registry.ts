import { mkdir, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { answerRequest, type Trust } from "./answer-request.ts";
import { blobsIn } from "./blobs.ts";
import type { UploadLimits } from "./bounded-piece.ts";
import { makeCheckToken } from "./check-token.ts";
import { collectGarbage, type GarbageRules } from "./collect-garbage.ts";
import { manifestsIn } from "./manifests.ts";
import { type Places, placesIn } from "./places.ts";
import { makeRepositoryTurns } from "./repository-turns.ts";
import { uploadsIn } from "./uploads.ts";

/** The registry of `svc dev`. */
export type DevRegistry = {
  /** As image names begin: `127.0.0.1:8421`. */
  readonly host: string;
  /** Takes the tokens of the broker at this URL from now on; before, nobody gets in. */
  readonly trust: (brokerUrl: string) => void;
  /** Forgets uploads that rest and blobs that no manifest names, as it does every ten minutes; by other rules where told. */
  readonly sweep: (garbage?: Partial<GarbageRules>) => Promise<void>;
  readonly stop: () => Promise<void>;
};

const gibibyte = 2 ** 30;
const usualLimits: UploadLimits = {
  mostBytes: 32 * gibibyte,
  mostOpen: 256,
  freeBytes: gibibyte,
  looksEveryBytes: 64 * 2 ** 20,
  restsMs: 60 * 60_000,
};
const usualGarbage: GarbageRules = { youngMs: 60 * 60_000, most: 200 };
const sweepEveryMs = 10 * 60_000;
/** A connection on which nothing moves for so long is cut. */
const silentMs = 60_000;
const mostConnections = 512;

/** Starts a registry that keeps all in a folder, on the port or, where that is taken, on another one. */
export async function startDevRegistry({
  folder,
  port,
  limits = {},
}: {
  readonly folder: string;
  readonly port: number;
  readonly limits?: Partial<UploadLimits>;
}): Promise<DevRegistry> {
  const places = placesIn(path.resolve(folder));
  await makeReady(places);
  const turns = makeRepositoryTurns();
  const blobs = blobsIn(places, turns);
  const uploads = uploadsIn(places, blobs, { ...usualLimits, ...limits });
  const store = { blobs, uploads, manifests: manifestsIn(places, blobs, turns) };
  await uploads.sweep(Date.now());
  let trusted: Trust | undefined;
  const server = createServer(
    { headersTimeout: 20_000, requestTimeout: 6 * 60 * 60_000, keepAliveTimeout: 75_000 },
    (request, response) => void answerRequest({ store, trust: () => trusted }, request, response),
  );
  server.setTimeout(silentMs);
  server.maxConnections = mostConnections;
  await listen(server, port).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== "EADDRINUSE") throw error;
    await listen(server, 0);
  });
  const { port: found } = server.address() as AddressInfo; // a listening TCP server has one
  const host = `127.0.0.1:${found}`;
  const stopped = new AbortController();
  const sweep = async (garbage: Partial<GarbageRules> = {}): Promise<void> => {
    const now = { nowMs: Date.now(), signal: stopped.signal };
    await uploads.sweep(now.nowMs);
    await collectGarbage({ places, turns }, { ...usualGarbage, ...garbage }, now);
  };
  let sweeping: Promise<void> | undefined;
  const timer = setInterval(() => {
    sweeping ??= sweep()
      .catch(() => {}) // the next one comes
      .finally(() => (sweeping = undefined));
  }, sweepEveryMs).unref();
  return {
    host,
    trust: (brokerUrl) => {
      trusted = { brokerUrl, service: host, check: makeCheckToken(brokerUrl, host) };
    },
    sweep,
    stop: async () => {
      clearInterval(timer);
      stopped.abort();
      await sweeping;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** What was being written when an earlier one died is nobody's. */
async function makeReady({ repositories, uploads, temporary }: Places): Promise<void> {
  await rm(temporary, { recursive: true, force: true });
  for (const folder of [repositories, uploads, temporary])
    await mkdir(folder, { recursive: true, mode: 0o700 });
}

async function listen(server: Server, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: "127.0.0.1" }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
