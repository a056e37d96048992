import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { connect, type Db } from "../../broker/database/connect.ts";
import { eraseEmbeddedPostgres, startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { type BrokerProcess, startBrokerProcess } from "./broker-process.ts";

export type Stage = {
  readonly db: Db;
  /** Holds the password: never print it. */
  readonly url: string;
  readonly postgresPid: number;
  readonly postgresVersion: string;
  /** Another database on the same server. */
  readonly makeDatabase: (name: string) => Promise<string>;
  readonly startBroker: (env?: Readonly<Record<string, string>>) => Promise<BrokerProcess>;
};

/**
 * Gives a bench its own embedded Postgres, with fsync and every other safety on, migrated and empty; takes it away
 * afterwards, with the brokers that were started.
 */
export async function withStage<Result>(
  act: (stage: Stage) => Promise<Result>,
  settings: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const dataDir = await mkdtemp(path.join(tmpdir(), "svc-bench-"));
  await chmod(dataDir, 0o711); // as root, Postgres runs as another user, who has to go through
  const postgres = await startEmbeddedPostgres({ dataDir, settings });
  const brokers: BrokerProcess[] = [];
  let db: Db | undefined;
  try {
    await migrate(postgres.url);
    const open = connect(postgres.url, { max: 4, statementTimeoutMs: 0 });
    db = open;
    return await act({
      db,
      url: postgres.url,
      postgresPid: postgres.pid,
      postgresVersion: postgres.version,
      makeDatabase: async (name) => {
        await open`create database ${open(name)}`;
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
    await db?.end({ timeout: 5 });
    await postgres.stop();
    await eraseEmbeddedPostgres(dataDir);
    await rm(dataDir, { recursive: true, force: true });
  }
}
