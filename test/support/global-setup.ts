import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TestProject } from "vitest/node";
import { connect } from "../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";

declare module "vitest" {
  // Only an interface can be merged into vitest's own.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface ProvidedContext {
    /** The server all tests share; it names the migrated template database. */
    templateUrl: string;
  }
}

/** One Postgres a run, its database migrated once; every test database is a clone of that. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-test-"));
  // As root, Postgres runs as another user, who has to go through this folder.
  await chmod(dataDir, 0o711);
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false });
  const teardown = async () => {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await migrate(postgres.url);
    await refuseConnections(postgres.url);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide("templateUrl", postgres.url);
  return teardown;
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
