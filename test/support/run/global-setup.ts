import { access, chmod, constants, mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { connect } from "../../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../../broker/database/embedded.ts";
import { migrate } from "../../../broker/database/migrate.ts";
import { offerCluster } from "../cluster/offer-cluster.ts";
import { buildPrograms } from "./build-programs.ts";
import { closeCpuAccount, countUnder, type CpuAccount, openCpuAccount } from "./cpu-account.ts";
import { patiently } from "./folder.ts";

declare module "vitest" {
  // Only an interface can be merged into vitest's own.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface ProvidedContext {
    /** The server all tests share; it names the migrated template database. */
    templateUrl: string;
    /** Why there is no template: tests that need no tables run all the same. */
    templateError: string;
    /** Asks for the cluster that all tests share. */
    clusterUrl: string;
    /** The folder of the programs that are built for this run. */
    programs: string;
    /** Where the CPU seconds of this run are counted. */
    cpuAccount: string;
  }
}

const shared = "/dev/shm";
/** A whole run leaves less than half of it behind. */
const neededBytes = 4 * 2 ** 30;
/** Nothing of a test database has to outlive its server: as little as can be is written. */
const swift = {
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "1GB",
  checkpoint_timeout: "1h",
  jit: "off",
};

/** What all tests share: one Postgres with a migrated template, the built programs, and a cluster for who asks. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const account = await openCpuAccount();
  project.provide("cpuAccount", account.folder);
  const [endPostgres, programs, cluster] = await Promise.all([
    providePostgres(project, account),
    buildPrograms(),
    offerCluster((pid) => countUnder(account, "cluster", pid)),
  ]);
  project.provide("programs", programs.folder);
  project.onTestsRerun(programs.again);
  project.provide("clusterUrl", cluster.url);
  return async () => {
    await Promise.all([endPostgres(), programs.remove(), cluster.end()]);
    await closeCpuAccount(account);
  };
}

/** One Postgres a run, its database migrated once; every test database is a clone of that. */
async function providePostgres(
  project: TestProject,
  account: CpuAccount,
): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(await swiftFolder(), "svc-test-"));
  // As root, Postgres runs as another user, who has to go through this folder.
  await chmod(dataDir, 0o711);
  // Each file's brokers keep their pools until its end, and several files run at once.
  const settings = { ...swift, max_connections: "1000" };
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false, settings });
  countUnder(account, "postgres", postgres.pid);
  project.provide("templateUrl", postgres.url);
  project.provide("templateError", await failureOf(makeTemplate(postgres.url)));
  return async () => {
    await postgres.stop();
    await rm(dataDir, { ...patiently, force: true });
  };
}

/** In memory where there is room for a run's databases, else where temporary files are. */
async function swiftFolder(): Promise<string> {
  try {
    await access(shared, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = await statfs(shared);
    if (bavail * bsize >= neededBytes) return shared;
  } catch {
    // macOS has none
  }
  return tmpdir();
}

async function makeTemplate(url: string): Promise<void> {
  await migrate(url);
  await refuseConnections(url);
}

async function failureOf(work: Promise<void>): Promise<string> {
  return await work.then(
    () => "",
    (error: unknown) => String(error),
  );
}

/** A template that somebody is connected to cannot be cloned. */
async function refuseConnections(url: string): Promise<void> {
  const maintenance = new URL(url);
  const name = maintenance.pathname.slice(1);
  maintenance.pathname = "/postgres";
  const db = connect(maintenance.href, { max: 1 });
  await db`alter database ${db(name)} with allow_connections false is_template true`;
  await db.end();
}
