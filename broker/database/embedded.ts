import { randomBytes } from "node:crypto";
import { mkdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { OperatorError } from "../../shared/operator-error.ts";
import { connect } from "./connect.ts";
import { claimDataDir, stopOrphan } from "./embedded-owner.ts";
import { type EmbeddedRuntime, findRuntime } from "./embedded-runtime.ts";
import { type Cluster, initCluster, startServer } from "./embedded-server.ts";
import { findHome, findServerUser } from "./embedded-user.ts";

export type EmbeddedOptions = {
  readonly dataDir: string;
  /** By default a free one. */
  readonly port?: number;
  /** False trades durability for speed: for tests only. */
  readonly fsync?: boolean;
  readonly settings?: Readonly<Record<string, string>>;
  /** Another package of binaries than this machine's usual one. */
  readonly packageName?: string;
};

export type EmbeddedPostgres = {
  /** Holds the password: never print it. */
  readonly url: string;
  readonly version: string;
  readonly port: number;
  readonly pid: number;
  /** Where the files really are: elsewhere than dataDir when root's server user cannot reach that. */
  readonly location: string;
  /** Shuts down within a time, by default five seconds; everything committed is kept. */
  readonly stop: (withinMs?: number) => Promise<void>;
};

const databaseName = "svc";
const swift = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };

/**
 * Starts a Postgres of our own on 127.0.0.1, as root too, and makes its files on first use. A server that
 * a killed process left behind in this directory is stopped first. Throws an OperatorError when the
 * directory is in use or of another major version, or the port is taken.
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const place = await openDataDir(options.dataDir);
  const release = await claimDataDir(place.dataDir);
  try {
    const runtime = await findRuntime(place.user, options.packageName);
    const cluster = clusterOf(place, runtime, options.fsync ?? true);
    await stopOrphan(cluster.directory);
    const password = await preparedPassword(place, cluster);
    const settings = { ...(cluster.isDurable ? {} : swift), max_connections: "200" };
    const server = await startServer(cluster, { ...settings, ...options.settings }, options.port);
    const urlOf = (name: string) =>
      `postgres://postgres:${password}@127.0.0.1:${server.port}/${name}`;
    await ensureDatabase(urlOf("postgres"));
    const stop = async (withinMs?: number) => {
      await server.stop(withinMs);
      await release();
    };
    const { port, pid } = server;
    const url = urlOf(databaseName);
    return { url, version: runtime.version, port, pid, location: place.home, stop };
  } catch (error) {
    await release();
    throw error;
  }
}

/** Removes everything that startEmbeddedPostgres keeps for a directory; refused while it is in use. */
export async function eraseEmbeddedPostgres(dataDir: string): Promise<void> {
  const place = await openDataDir(dataDir);
  const release = await claimDataDir(place.dataDir);
  await stopOrphan(path.join(place.home, "cluster"));
  for (const name of ["cluster", "cluster.draft"]) {
    await rm(path.join(place.home, name), { recursive: true, force: true });
  }
  for (const name of ["password", "postgres.log"]) {
    await rm(path.join(place.dataDir, name), { force: true });
  }
  if (place.home !== place.dataDir) await rm(place.home, { recursive: true });
  await release();
}

type Place = {
  readonly dataDir: string;
  readonly home: string;
  readonly user: Awaited<ReturnType<typeof findServerUser>>;
};

async function openDataDir(given: string): Promise<Place> {
  // Root's server user must be able to enter the folder; secrets in it have modes of their own.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700;
  await mkdir(given, { recursive: true, mode });
  const dataDir = await realpath(given);
  const user = await findServerUser(dataDir);
  const home = await findHome(dataDir, user);
  return { dataDir, home, user };
}

function clusterOf(place: Place, runtime: EmbeddedRuntime, isDurable: boolean): Cluster {
  const directory = path.join(place.home, "cluster");
  const logFile = path.join(place.dataDir, "postgres.log");
  return { runtime, user: place.user, directory, logFile, isDurable };
}

/** Makes the cluster on first use; answers the password that belongs to it. */
async function preparedPassword(place: Place, cluster: Cluster): Promise<string> {
  const file = path.join(place.dataDir, "password");
  if (!(await isMade(cluster.directory))) {
    const password = randomBytes(20).toString("hex");
    await rm(file, { force: true });
    await writeFile(file, password, { mode: 0o600 });
    await initCluster(cluster, password);
    return password;
  }
  await requireMajorVersion(place, cluster);
  return await readFile(file, "utf8").catch(() => {
    throw new OperatorError(`The data directory ${place.dataDir} has no password file any more.`);
  });
}

async function isMade(directory: string): Promise<boolean> {
  return await stat(directory).then(
    () => true,
    () => false,
  );
}

async function requireMajorVersion(place: Place, { directory, runtime }: Cluster): Promise<void> {
  const text = await readFile(path.join(directory, "PG_VERSION"), "utf8").catch(() => {
    throw new OperatorError(`The data directory ${place.dataDir} belongs to another user.`);
  });
  if (text.trim() === runtime.majorVersion) return;
  throw new OperatorError(
    `The data directory ${place.dataDir} was made by Postgres ${text.trim()}, this is Postgres ` +
      `${runtime.majorVersion}: dump it with the old one, or choose another directory.`,
  );
}

async function ensureDatabase(url: string): Promise<void> {
  const db = connect(url, { max: 1 });
  try {
    const found = await db`select 1 from pg_database where datname = ${databaseName}`;
    if (found.length === 0) await db`create database ${db(databaseName)}`;
  } finally {
    await db.end({ timeout: 5 });
  }
}
