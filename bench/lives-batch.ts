import { type Answer, type Connection, openConnections, requestText } from "./http-client.ts";
import type { Bench, BenchOptions, Tell } from "./support/bench.ts";
import { cpuOf } from "./support/cpu-of.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { expectStatus, jobBody } from "./support/lives.ts";
import { pgBossBatches } from "./support/pg-boss-lives.ts";
import { profiledBroker, profiledSettings, resetProfile, writeProfile } from "./support/profile.ts";
import { runClients } from "./support/run-clients.ts";
import { type Stage, withStage } from "./support/stage.ts";

const clientCount = 8;
const batch = 100;

type BatchClient = {
  readonly connection: Connection;
  readonly agent: FleetAgent;
  readonly fleet: Fleet;
};

const jobsBody = `{"jobs":[${Array.from({ length: batch }, () => jobBody).join(",")}]}`;

/**
 * Whole lives over HTTP in batches of 100 jobs: jobs/batch, claim, first reports, ends; 8 clients at 8 runners, each
 * with 100 slots. Against pg-boss in batches of 100 with one sender and one fetcher. The load comes from this process.
 */
export const livesBatch: Bench = {
  what: "whole lives of jobs over HTTP in batches of 100, 8 clients",
  run: async (options, tell) => {
    await withStage(
      async (stage) => {
        const lives = await measureLives(stage, options, tell);
        tell({
          figure: "lives, batches of 100",
          value: lives,
          unit: "lives/s",
          target: { atLeast: 8_000 },
          note: `${clientCount} clients, each at its own runner with ${batch} slots`,
        });
        const boss = await pgBossBatches(await stage.makeDatabase("boss"), options);
        tell({
          figure: "pg-boss, batches of 100",
          value: boss,
          unit: "jobs/s",
          note: "one fetcher",
        });
        tell({ figure: "lives ÷ pg-boss", value: lives / boss, unit: "×", target: { atLeast: 1 } });
      },
      { settings: profiledSettings(options) },
    );
  },
};

async function measureLives(stage: Stage, options: BenchOptions, tell: Tell): Promise<number> {
  const { db, postgresPid } = stage;
  const fleet = await givenFleet(db, clientCount, batch);
  const broker = await stage.startBroker(profiledBroker(options));
  const connections = await openConnections(broker.url, clientCount);
  const clients = connections.flatMap((connection, at) => {
    const agent = fleet.agents[at];
    return agent === undefined ? [] : [{ connection, agent, fleet }];
  });
  await runClients(clients, options.warmUpS, liveTogether);
  await resetProfile(db, options);
  const pids = { broker: broker.pid, Postgres: postgresPid, "load generator": process.pid };
  const before = Object.values(pids).map(cpuOf);
  const { count, seconds } = await runClients(clients, options.seconds, liveTogether);
  for (const [at, [name, pid]] of Object.entries(pids).entries()) {
    const used = cpuOf(pid) - (before[at] ?? 0);
    tell({ figure: `CPU a life, ${name}`, value: (used / count / batch) * 1e6, unit: "µs" });
  }
  await writeProfile(db, options, "lives-batch");
  for (const { close } of connections) close();
  await broker.stop();
  return (count * batch) / seconds;
}

/** A hundred lives: enqueued in one call, claimed in one, begun in one, ended in one. */
async function liveTogether({ connection, agent, fleet }: BatchClient): Promise<void> {
  const { runnerId, processId, token } = agent;
  const path = `/v1/runners/${runnerId}`;
  const send = (what: string, by: string, body: string) =>
    connection.send(requestText(what, by, body));
  expectStatus(await send(`POST ${path}/jobs/batch`, fleet.adminToken, jobsBody), 201);
  const asked = (want: number): string =>
    `{"process_id":"${processId}","poll_id":"${crypto.randomUUID()}","groups":{"deploy":${want}}}`;
  const executions: string[] = [];
  while (executions.length < batch) {
    const want = batch - executions.length;
    const claim = await send(`POST ${path}/jobs/claim`, token, asked(want));
    executions.push(...claimedExecutions(claim));
  }
  const reports = (rest: string): string =>
    `{"reports":[${executions.map((id) => `{"execution":"${id}",${rest}}`).join(",")}]}`;
  const begun = await send(`POST ${path}/reports`, token, reports('"status":"in-progress"'));
  expectAllTaken(begun);
  const end =
    '"status":"finished","result":{"success":true},"outputs":{"url":"https://example.com"}';
  expectAllTaken(await send(`POST ${path}/reports`, token, reports(end)));
}

/** Found by their shape: to parse every plan would cost the machine more than the broker's work does. */
function claimedExecutions(claim: Answer): string[] {
  expectStatus(claim, 200);
  return [...claim.body.matchAll(/"execution":\{"id":"(exe_\w+)"/g)].map(([, id = ""]) => id);
}

function expectAllTaken(answer: Answer): void {
  expectStatus(answer, 200);
  const taken = answer.body.split('"status":200,').length - 1;
  if (taken !== batch) throw new Error(`${taken} of ${batch} reports were taken: ${answer.body}`);
}
