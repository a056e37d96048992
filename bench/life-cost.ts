import type { Broker } from "../broker/broker.ts";
import { enqueueJobs } from "../broker/jobs/enqueue-jobs.ts";
import type { OrgId } from "../broker/orgs/org-id.ts";
import { claimJobs } from "../broker/polls/claim-jobs.ts";
import type { Bench } from "./support/bench.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { type Contestant, inTurns, loadGenerator } from "./support/in-turns.ts";
import { plan } from "./support/lives.ts";
import { openLocalBroker } from "./support/local-broker.ts";
import { repeatFor } from "./support/run-clients.ts";
import { withStage } from "./support/stage.ts";
import { addCounts, noCounts, readCounts } from "./support/statement-counts.ts";

/** How many jobs travel in one call: alone, as under a load of single calls, as a batch of one runner. */
const sizes = { one: 1, fourteen: 14, hundred: 100 } as const;

/**
 * What a life costs Postgres, and the broker without HTTP, when so many jobs travel in a call: enqueue, claim, first
 * report and end by the broker's own functions, one call after the other in this process, so that no load on the
 * machine changes how many travel together.
 */
export const lifeCost: Bench = {
  what: "CPU, WAL records and buffers of a life at Postgres, with 1, 14 and 100 jobs a call",
  run: async (options, tell) => {
    await withStage(
      async ({ db, url, postgresPid }) => {
        const fleet = await givenFleet(db, sizes.fourteen, sizes.hundred);
        const broker = await openLocalBroker(url);
        await db`create extension if not exists pg_stat_statements`;
        const pids = { Postgres: postgresPid, [loadGenerator]: process.pid };
        const counts = { one: noCounts(), fourteen: noCounts(), hundred: noCounts() };
        const contestant = (size: keyof typeof sizes): Contestant => ({
          pids,
          work: async (seconds) => {
            const before = await readCounts(db);
            const startedAtMs = performance.now();
            const jobs = sizes[size];
            const count = (await repeatFor(seconds, () => live(broker, fleet, jobs))).length * jobs;
            const tookS = (performance.now() - startedAtMs) / 1000;
            addCounts(counts[size], { before, after: await readCounts(db), lives: count });
            return { count, seconds: tookS };
          },
        });
        const turns = await inTurns(
          {
            one: contestant("one"),
            fourteen: contestant("fourteen"),
            hundred: contestant("hundred"),
          },
          {
            ...options,
            onWarm: async () =>
              Object.values(counts).forEach((one) => Object.assign(one, noCounts())),
          },
        );
        for (const [size, { cpuUs }] of Object.entries(turns)) {
          const { lives, records, buffers } = counts[size as keyof typeof sizes]; // the same names
          const of = `${sizes[size as keyof typeof sizes]} a call`;
          const [us = Number.NaN, ownUs = Number.NaN] = Object.values(cpuUs);
          tell({ figure: `CPU a life, Postgres, ${of}`, value: us, unit: "µs" });
          tell({ figure: `CPU a life, broker without HTTP, ${of}`, value: ownUs, unit: "µs" });
          tell({ figure: `WAL records a life, ${of}`, value: records / lives, unit: "" });
          tell({ figure: `buffers a life, ${of}`, value: buffers / lives, unit: "" });
        }
        await Promise.all([broker.db.end({ timeout: 5 }), broker.hotDb.end({ timeout: 5 })]);
      },
      { settings: { shared_preload_libraries: "pg_stat_statements" } },
    );
  },
};

/** So many lives in four calls: of one runner each, or all of one. */
async function live(broker: Broker, fleet: Fleet, jobs: number): Promise<void> {
  const orgId = fleet.orgId as OrgId; // of its own database
  const isBatch = jobs > fleet.agents.length;
  const agents = fleet.agents.slice(0, isBatch ? 1 : jobs);
  const each = isBatch ? jobs : 1;
  await Promise.all(agents.map((agent) => enqueue(broker, orgId, { agent, each })));
  const requests = agents.map(({ runnerId, processId }) => ({
    runnerId,
    processId,
    pollId: crypto.randomUUID(),
    groups: new Map([["deploy", each]]),
  }));
  const claimed = await claimJobs({ ...broker, db: broker.hotDb }, requests);
  const executions = claimed.flatMap(({ claims }) => claims.map(({ execution }) => execution));
  if (executions.length !== jobs) throw new Error(`${executions.length} of ${jobs} were claimed`);
  const of = executions.map(({ id, runner_id: runnerId }) => ({
    orgId,
    runnerId,
    executionId: id,
  }));
  await Promise.all(of.map((one) => broker.report({ ...one, status: "in-progress" })));
  const end = {
    status: "finished",
    result: { success: true, error_code: 0, error_metadata: {} },
    outputs: { url: "https://example.com" },
  } as const;
  await Promise.all(of.map((one) => broker.report({ ...one, ...end })));
}

async function enqueue(
  broker: Broker,
  orgId: OrgId,
  { agent, each }: { readonly agent: FleetAgent; readonly each: number },
): Promise<void> {
  const job = { type: "noop-deploy", operation: "exec", ownerId: "own_1", plan } as const;
  const jobs = Array.from({ length: each }, () => job);
  await enqueueJobs(broker, {
    orgId,
    actorId: "bench",
    runnerId: agent.runnerId,
    jobs,
    takesPermit: true,
  });
}
