import type { Broker } from "../broker/broker.ts";
import type { Db } from "../broker/database/connect.ts";
import type { ExecutionRow } from "../broker/executions/row.ts";
import { enqueueJobs, makeEnqueueSingle } from "../broker/jobs/enqueue-jobs.ts";
import { makeHotPath } from "../broker/limits/hot-path.ts";
import type { OrgId } from "../broker/orgs/org-id.ts";
import type { Bench } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { type Contestant, inTurns, loadGenerator, medianRate, ratio } from "./support/in-turns.ts";
import { plan } from "./support/lives.ts";
import { openLocalBroker } from "./support/local-broker.ts";
import { repeatFor } from "./support/run-clients.ts";
import { withStage } from "./support/stage.ts";
import { addCounts, noCounts, readCounts } from "./support/statement-counts.ts";

const many = 14;
const slots = 2;

/**
 * From enqueues to the answers of the polls that are parked for them, each at a runner of its own, by the broker's own
 * functions in this process: with the claim in the enqueue's statement, and with a look after it, in turns.
 */
export const handOff: Bench = {
  what: "enqueue to parked poll's answer without HTTP, in one statement and in two, 1 and 14 at once",
  run: async (options, tell) => {
    await withStage(
      async ({ db, url, postgresPid }) => {
        const fleet = await givenFleet(db, many, slots);
        const broker = await openLocalBroker(url);
        await db`create extension if not exists pg_stat_statements`;
        const pids = { Postgres: postgresPid, [loadGenerator]: process.pid };
        const ways = [
          measured(db, { broker, fleet, atOnce: 1, pids }),
          measured(db, { broker: inTwoStatements(broker), fleet, atOnce: 1, pids }),
          measured(db, { broker, fleet, atOnce: many, pids }),
          measured(db, { broker: inTwoStatements(broker), fleet, atOnce: many, pids }),
        ] as const;
        const [one, oneInTwo, some, someInTwo] = ways;
        const contestants = {
          "1 at once, one statement": one.contestant,
          "1 at once, two": oneInTwo.contestant,
          "14 at once, one statement": some.contestant,
          "14 at once, two": someInTwo.contestant,
        };
        const onWarm = async (): Promise<void> => ways.forEach(({ forget }) => forget());
        const turns = await inTurns(contestants, { ...options, onWarm });
        for (const [at, [name, turn]] of Object.entries(turns).entries()) {
          const { counts, latenciesMs } = ways[at] ?? one;
          const [us = Number.NaN, ownUs = Number.NaN] = Object.values(turn.cpuUs);
          tell({
            figure: `enqueue → answer, p50, ${name}`,
            value: quantile(latenciesMs, 0.5),
            unit: "ms",
          });
          tell({ figure: `hand-offs, ${name}`, value: medianRate(turn), unit: "jobs/s" });
          tell({ figure: `CPU a job, Postgres, ${name}`, value: us, unit: "µs" });
          tell({ figure: `CPU a job, broker, ${name}`, value: ownUs, unit: "µs" });
          tell({
            figure: `WAL records a job, ${name}`,
            value: counts.records / counts.lives,
            unit: "",
          });
          tell({
            figure: `buffers a job, ${name}`,
            value: counts.buffers / counts.lives,
            unit: "",
          });
        }
        const single = ratio(turns["1 at once, one statement"], turns["1 at once, two"]);
        tell({ figure: "one statement ÷ two, 1 at once", ...single, unit: "×" });
        const together = ratio(turns["14 at once, one statement"], turns["14 at once, two"]);
        tell({ figure: "one statement ÷ two, 14 at once", ...together, unit: "×" });
        await Promise.all([broker.db.end({ timeout: 5 }), broker.hotDb.end({ timeout: 5 })]);
      },
      { settings: { shared_preload_libraries: "pg_stat_statements" } },
    );
  },
};

/** The same broker, whose polls are looked for after the enqueue. */
function inTwoStatements(broker: Broker): Broker {
  const enqueueSingle = makeEnqueueSingle({
    hotPath: makeHotPath(broker.hotDb, broker.db, broker.permits),
    seals: broker.seals,
    largeWrites: broker.largeWrites,
    polls: { handOff: async (_, enqueue) => (await enqueue([])).made },
  });
  return { ...broker, enqueueSingle };
}

type Measured = {
  readonly broker: Broker;
  readonly fleet: Fleet;
  readonly atOnce: number;
  readonly pids: Contestant["pids"];
};

function measured(db: Db, { broker, fleet, atOnce, pids }: Measured) {
  const counts = noCounts();
  const latenciesMs: number[] = [];
  const agents = fleet.agents.slice(0, atOnce);
  const work: Contestant["work"] = async (seconds) => {
    const before = await readCounts(db);
    const startedAtMs = performance.now();
    const rounds = await repeatFor(seconds, () => handOver(broker, fleet, agents));
    const tookS = (performance.now() - startedAtMs) / 1000;
    const lives = rounds.length * atOnce;
    addCounts(counts, { before, after: await readCounts(db), lives });
    latenciesMs.push(...rounds.flat());
    return { count: lives, seconds: tookS };
  };
  const forget = (): void => {
    Object.assign(counts, noCounts());
    latenciesMs.length = 0;
  };
  return { contestant: { work, pids }, counts, latenciesMs, forget };
}

/** Parks a poll for each agent, enqueues a job for each and ends it; answers how long each took to its poll. */
async function handOver(
  broker: Broker,
  { orgId }: Fleet,
  agents: readonly FleetAgent[],
): Promise<number[]> {
  const parked = agents.map((agent) => park(broker, orgId as OrgId, agent)); // of its own database
  const startedAtMs = performance.now();
  const enqueued = agents.map((agent) => enqueue(broker, orgId as OrgId, agent));
  const answered = parked.map(async (answer) => {
    const executions = await answer;
    return { executions, tookMs: performance.now() - startedAtMs };
  });
  await Promise.all(enqueued);
  const all = await Promise.all(answered);
  await Promise.all(all.flatMap(({ executions }) => executions.map((one) => end(broker, one))));
  return all.map(({ tookMs }) => tookMs);
}

async function end(
  broker: Broker,
  { id, org_id, runner_id: runnerId }: ExecutionRow,
): Promise<void> {
  const result = { success: true, error_code: 0, error_metadata: {} };
  const orgId = org_id as OrgId; // of its own database
  await broker.report({ orgId, runnerId, executionId: id, status: "finished", result });
}

/** A poll whose first look is over. */
function park(
  broker: Broker,
  orgId: OrgId,
  { runnerId, processId }: FleetAgent,
): Promise<ExecutionRow[]> {
  return new Promise((resolve) => {
    broker.polls.dispatcher.parked.enter({
      orgId,
      runnerId,
      processId,
      pollId: crypto.randomUUID(),
      groups: new Map([["deploy", 1]]),
      knownOrders: [],
      settle: (answer) =>
        resolve(answer.kind === "claims" ? answer.claims.map(({ execution }) => execution) : []),
    });
  });
}

async function enqueue(broker: Broker, orgId: OrgId, { runnerId }: FleetAgent): Promise<void> {
  const job = { type: "noop-deploy", operation: "exec", ownerId: "own_1", plan } as const;
  await enqueueJobs(broker, { orgId, actorId: "bench", runnerId, jobs: [job], takesPermit: true });
}
