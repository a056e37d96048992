import postgres from "postgres";
import { describe, expect, test } from "vitest";
import type { Db } from "../../broker/database/connect.ts";
import { testDatabase } from "../support/database/database.ts";
import {
  beat,
  claim,
  givenJobs,
  givenProcess,
  givenRunner,
  report,
} from "../support/rows/given.ts";

type PlanNode = {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Index Cond"?: string;
  readonly Plans?: readonly PlanNode[];
};
type Explained = { readonly "Query Text": string; readonly Plan: PlanNode };

/**
 * Brokers plan the statements of hot functions while their tables are new and empty, and keep those plans for as long as
 * a connection lasts. A plan that walks a table or an index is as good as any other then, and slow for ever after.
 */
describe("the plans of hot functions on a database without statistics", () => {
  test("of a job's whole life, no statement walks a table or an index", async () => {
    const { statements } = await explainLife();
    const walks = statements.flatMap(({ Plan, "Query Text": text }) =>
      walksOf(Plan).map((walk) => `${walk}: ${text.replaceAll(/\s+/g, " ").slice(0, 200)}`),
    );
    expect(walks).toEqual([]);
  });

  test("every table that a life writes is among those that were looked at", async () => {
    const { statements } = await explainLife();
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

  test("a plan that walks a table is noticed", async () => {
    const { statements } = await explain(async (db) => {
      await db`select id from runner_job_live where status = 'queued'`;
      await db`select count(*) from runner_jobs`;
    });
    expect(statements.flatMap(({ Plan }) => walksOf(Plan))).toHaveLength(2);
  });
});

/** Lives by the hot functions, of several jobs a call, on one connection. */
async function explainLife() {
  return explain(async (db, setUp) => {
    const runner = await givenRunner(setUp, { parallelism: { deploy: 5 } });
    const processId = await givenProcess(setUp, runner, { serves: { deploy: 5 } });
    for (const outcome of ["finished", "failed"]) {
      await givenJobs(db, runner, [{ plan: "{}" }, {}, {}]);
      const held = await claim(db, runner, { processId, want: 3 });
      await beat(db, [processId], held);
      for (const { executionId } of held) {
        await report(db, runner, { executionId, status: "in-progress" });
        const result = { success: outcome === "finished", error_code: 0, error_metadata: {} };
        await report(db, runner, { executionId, status: outcome, result });
      }
    }
  });
}

/** Runs it on one connection and answers the plan of each statement, those within functions included. */
async function explain(act: (db: Db, setUp: Db) => Promise<void>) {
  const { db: setUp, url } = await testDatabase();
  const statements: Explained[] = [];
  const db = postgres(url, {
    max: 1,
    types: { bigint: postgres.BigInt as never }, // no count is looked at here
    onnotice: ({ message = "" }) => {
      const [, plan] = /^duration: [^{]*plan:\s*(\{.*)$/s.exec(message) ?? [];
      if (plan !== undefined) statements.push(JSON.parse(plan) as Explained); // auto_explain's own
    },
  }) as unknown as Db;
  try {
    await db`load 'auto_explain'`;
    await db.unsafe(`
      set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
      set auto_explain.log_format = json; set auto_explain.log_level = notice`);
    await act(db, setUp);
    return { statements };
  } finally {
    await db.end({ timeout: 1 });
  }
}

/** What is read from one end to the other. */
function walksOf(node: PlanNode): string[] {
  const { "Node Type": type, "Relation Name": relation, "Index Name": index } = node;
  const isWalk =
    type === "Seq Scan" ||
    (/^(?:Bitmap )?Index (?:Only )?Scan$/.test(type) && node["Index Cond"] === undefined);
  const own =
    isWalk && !isCatalog(relation ?? index ?? "") ? [`${type} on ${relation ?? index}`] : [];
  return [...own, ...(node.Plans ?? []).flatMap(walksOf)];
}

const isCatalog = (name: string): boolean => name.startsWith("pg_");

function relationsOf(node: PlanNode): string[] {
  const { "Relation Name": relation } = node;
  return [
    ...(relation === undefined ? [] : [relation]),
    ...(node.Plans ?? []).flatMap(relationsOf),
  ];
}
