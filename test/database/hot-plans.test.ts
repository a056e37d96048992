import { describe, expect, test } from "vitest";
import { findChain } from "../../broker/workflows/find-chain.ts";
import { testDatabase } from "../support/database/database.ts";
import {
  explaining,
  type Read,
  readsOf,
  relationsOf,
  walksOf,
} from "../support/database/explain.ts";
import {
  type Life,
  liveAsEvent,
  liveAsJobs,
  liveAsSignals,
} from "../support/database/hot-lives.ts";
import { givenToken } from "../support/rows/given-token.ts";
import { givenOrg } from "../support/rows/given.ts";

/**
 * Brokers plan the statements of hot functions while their tables are new and empty, and keep those plans for as long as
 * a connection lasts. A plan that walks a table or an index is as good as any other then, and slow for ever after.
 */
describe("the plans of hot functions on a database without statistics", () => {
  test("of a job's whole life, no statement walks a table or an index", async () => {
    const { statements } = await explain(liveAsJobs);
    const walks = statements.flatMap(({ Plan, "Query Text": text }) =>
      walksOf(Plan).map((walk) => `${walk}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`),
    );
    expect(walks).toEqual([]);
  });

  test("every table that a life writes is among those that were looked at", async () => {
    const { statements } = await explain(liveAsJobs);
    const seen = new Set(statements.flatMap(({ Plan }) => relationsOf(Plan)));
    expect([...seen]).toEqual(
      expect.arrayContaining([
        "runner_jobs",
        "runner_job_live",
        "runner_job_ends",
        "runner_job_executions",
        "runner_queues",
        "runner_process_beats",
      ]),
    );
  });

  test("of an event's way to a webhook, no statement walks a table or an index", async () => {
    const { statements } = await explain(liveAsEvent);
    const walks = statements.flatMap(({ Plan, "Query Text": text }) =>
      walksOf(Plan).map((walk) => `${walk}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`),
    );
    expect(walks).toEqual([]);
    const seen = new Set(statements.flatMap(({ Plan }) => relationsOf(Plan)));
    const tables = ["events", "webhook_deliveries", "webhook_streams", "webhook_lines"];
    expect([...seen]).toEqual(expect.arrayContaining(tables));
  });

  test("of a signal's whole life, no statement walks a table or an index", async () => {
    const { statements } = await explain(liveAsSignals);
    const walks = statements.flatMap(({ Plan, "Query Text": text }) =>
      walksOf(Plan).map((walk) => `${walk}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`),
    );
    expect(walks).toEqual([]);
    const seen = new Set(statements.flatMap(({ Plan }) => relationsOf(Plan)));
    expect([...seen]).toEqual(
      expect.arrayContaining([
        "queue_signals",
        "queue_signal_live",
        "queue_signal_ends",
        "queue_signal_callbacks",
        "queue_signal_keys",
        "queue_counters",
        "queues",
      ]),
    );
  });

  test("of who stands behind somebody, no statement walks a table or an index", async () => {
    const { statements } = await explain(async (db, setUp, orgId) => {
      await givenToken(setUp, { orgId, role: "org_admin" });
      const [token] = await setUp<{ id: string }[]>`select id from tokens where org_id = ${orgId}`;
      await findChain(db, token?.id ?? "");
    });
    expect(statements.flatMap(({ Plan }) => walksOf(Plan))).toEqual([]);
    const seen = new Set(statements.flatMap(({ Plan }) => relationsOf(Plan)));
    expect([...seen]).toEqual(expect.arrayContaining(["tokens", "accounts"]));
  });

  test("a plan that walks a table is noticed", async () => {
    const { statements } = await explain(async (db) => {
      await db`select id from runner_job_live where status = 'queued'`;
      await db`select count(*) from runner_jobs`;
    });
    expect(statements.flatMap(({ Plan }) => walksOf(Plan))).toHaveLength(2);
  });
});

/** Until the tables are counted first, the planner may take any index that begins with the org; so brokers have them counted early (analyze-grown.ts). */
describe("the plans of hot functions once an org has much", () => {
  test.each([
    ["a job's whole life", liveAsJobs],
    ["an event's way to a webhook", liveAsEvent],
    ["a signal's whole life", liveAsSignals],
  ])("of %s, no statement reads what else the org has", async (_, live) => {
    const database = await testDatabase();
    const orgId = await givenOrg(database.db);
    for (let lives = 0; lives < 120; lives += 1) await live(database.db, database.db, orgId);
    await database.db`analyze`;
    // Of few pages each way of reading is cheap, and which one is taken is chance.
    const small = await database.db<{ name: string }[]>`
      select relname as name from pg_class
       where relkind = 'r' and relpages <= 8 and relnamespace = current_schema()::regnamespace`;
    const isSmall = ({ of }: Read): boolean =>
      of.startsWith("Seq Scan") || small.some(({ name }) => of.endsWith(` of ${name}`));
    const { db, take, end } = await explaining(database, { isMeasured: true });
    try {
      take();
      await live(db, database.db, orgId);
      const reads = take().flatMap(({ Plan, "Query Text": text }) =>
        readsOf(Plan).map((read) => ({
          ...read,
          text: text.replaceAll(/\s+/g, " ").slice(0, 200),
        })),
      );
      expect(reads.length).toBeGreaterThan(10);
      expect(reads.filter((read) => !isSmall(read)).length).toBeGreaterThan(5);
      expect(reads.filter((read) => read.rows > 40 && !isSmall(read))).toEqual([]);
    } finally {
      await end();
    }
  });
});

/** Runs it on one connection and answers the plan of each statement, those within functions included. */
async function explain(live: Life) {
  const database = await testDatabase();
  const orgId = await givenOrg(database.db);
  const { db, take, end } = await explaining(database);
  try {
    take();
    await live(db, database.db, orgId);
    return { statements: take() };
  } finally {
    await end();
  }
}
