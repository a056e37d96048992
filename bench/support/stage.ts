import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type Db } from "../../broker/database/connect.ts";
import {
  type EmbeddedPostgres,
  eraseEmbeddedPostgres,
  startEmbeddedPostgres,
} from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { type BrokerProcess, startBrokerProcess } from "./broker-process.ts";

export type Stage = {
  readonly db: Db;
  /** Holds the password: never print it. */
  readonly url: string;
  readonly postgresPid: number;
  /** Another database on the same server. */
  readonly makeDatabase: (name: string) => Promise<string>;
  readonly startBroker: (env?: Readonly<Record<string, string>>) => Promise<BrokerProcess>;
};

export type StageSet = {
  readonly settings?: Readonly<Record<string, string>>;
  /** Fills the database before anything is measured, on a server that is fast and not durable yet. */
  readonly fill?: (db: Db) => Promise<void>;
};

const hasty = {
  wal_level: "minimal",
  max_wal_senders: "0",
  max_wal_size: "2GB",
  maintenance_work_mem: "256MB",
};

/**
 * Gives a bench its own embedded Postgres, with fsync and every other safety on, migrated; takes it away afterwards,
 * with the brokers that were started.
 */
export async function withStage<Result>(
  act: (stage: Stage) => Promise<Result>,
  { settings = {}, fill }: StageSet = {},
): Promise<Result> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  await chmod(dataDir, 0o711); // as root, Postgres runs as another user, who has to go through
  try {
    if (fill !== undefined) await fillFirst(dataDir, fill);
    const postgres = await startEmbeddedPostgres({ dataDir, settings });
    return await actOn(postgres, act);
  } finally {
    await eraseEmbeddedPostgres(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function fillFirst(dataDir: string, fill: (db: Db) => Promise<void>): Promise<void> {
  const postgres = await startEmbeddedPostgres({ dataDir, fsync: false, settings: hasty });
  const db = connect(postgres.url, { max: 4, statementTimeoutMs: 0 });
  try {
    await migrate(postgres.url);
    await fill(db);
  } finally {
    await db.end({ timeout: 5 });
    await postgres.stop();
  }
}

async function actOn<Result>(
  postgres: EmbeddedPostgres,
  act: (stage: Stage) => Promise<Result>,
): Promise<Result> {
  const brokers: BrokerProcess[] = [];
  const db = connect(postgres.url, { max: 10, statementTimeoutMs: 0 });
  try {
    await migrate(postgres.url);
    return await act({
      db,
      url: postgres.url,
      postgresPid: postgres.pid,
      makeDatabase: async (name) => {
        await db`create database ${db(name)}`;
        const url = new URL(postgres.url);
        url.pathname = `/${name}`;
        return url.href;
      },
      startBroker: async (env) => {
        const broker = await startBrokerProcess(postgres.url, env);
        brokers.push(broker);
        return broker;
      },
    });
  } finally {
    await Promise.all(brokers.map(({ stop }) => stop()));
    await db.end({ timeout: 5 });
    await postgres.stop();
  }
}
