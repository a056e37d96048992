import type { OrgId } from "../broker/orgs/org-id.ts";
import { claim, givenJob, report } from "../test/support/rows/given.ts";
import { type Connection, openConnection, requestText } from "./http-client.ts";
import type { Bench, Tell } from "./support/bench.ts";
import { quantile } from "./support/figures.ts";
import { type Fleet, type FleetAgent, givenFleet } from "./support/given-fleet.ts";
import { claimedPaths, expectStatus, finishBody, jobBody, plan } from "./support/lives.ts";
import { repeatFor } from "./support/run-clients.ts";
import { withStage } from "./support/stage.ts";

const steps = ["enqueue", "claim", "report", "finish"] as const;
type Times = Record<(typeof steps)[number], number[]>;
const mostDelayMs = 1;

/**
 * One life after the other with nothing else going on, over HTTP and by calling the same SQL functions directly, in
 * turns: work is grouped across requests, and a request that comes alone does not wait for others.
 */
export const loneRequest: Bench = {
  what: "latency of a request that comes alone, against its SQL called directly",
  run: async ({ seconds, warmUpS }, tell) => {
    await withStage(async (stage) => {
      const fleet = await givenFleet(stage.db, 2, 10);
      const [overHttp, bySql] = fleet.agents;
      if (overHttp === undefined || bySql === undefined) return;
      const broker = await stage.startBroker();
      const connection = await openConnection(broker.url);
      const runner = { orgId: fleet.orgId as OrgId, groupId: "", runnerId: bySql.runnerId };
      const both = async (http: Times, sql: Times): Promise<void> => {
        await liveOverHttp({ connection, fleet, agent: overHttp }, http);
        await timed(sql.enqueue, () => givenJob(stage.db, runner, { plan }));
        const [held] = await timed(sql.claim, () => claim(stage.db, runner, bySql));
        if (held === undefined) throw new Error("nothing was claimed");
        const { executionId } = held;
        await timed(sql.report, () =>
          report(stage.db, runner, { executionId, status: "in-progress" }),
        );
        const end = {
          status: "finished",
          result: { success: true },
          outputs: { url: "https://example.com" },
        };
        await timed(sql.finish, () => report(stage.db, runner, { executionId, ...end }));
      };
      await repeatFor(warmUpS, () => both(noTimes(), noTimes()));
      const [http, sql] = [noTimes(), noTimes()];
      await repeatFor(seconds, () => both(http, sql));
      connection.close();
      for (const step of steps) tellStep(tell, step, { http: http[step], sql: sql[step] });
    });
  },
};

function tellStep(
  tell: Tell,
  step: string,
  { http, sql }: { http: number[]; sql: number[] },
): void {
  const [overHttp, bySql] = [quantile(http, 0.5), quantile(sql, 0.5)];
  const note = `${http.length} times; p99 ${quantile(http, 0.99).toFixed(2)} ms and ${quantile(sql, 0.99).toFixed(2)} ms`;
  tell({ figure: `${step}, over HTTP, p50`, value: overHttp, unit: "ms" });
  tell({ figure: `${step}, its SQL alone, p50`, value: bySql, unit: "ms" });
  const target = { atMost: mostDelayMs };
  tell({
    figure: `${step}, added by the broker`,
    value: overHttp - bySql,
    unit: "ms",
    target,
    note,
  });
}

async function liveOverHttp(
  { connection, fleet, agent }: { connection: Connection; fleet: Fleet; agent: FleetAgent },
  times: Times,
): Promise<void> {
  const { runnerId, processId, token } = agent;
  const jobs = `/v1/runners/${runnerId}/jobs`;
  const send = (what: string, by: string, body: string) =>
    connection.send(requestText(what, by, body));
  expectStatus(
    await timed(times.enqueue, () => send(`POST ${jobs}`, fleet.adminToken, jobBody)),
    201,
  );
  const asked = `{"process_id":"${processId}","poll_id":"${crypto.randomUUID()}","groups":{"deploy":1}}`;
  const [path] = claimedPaths(
    await timed(times.claim, () => send(`POST ${jobs}/claim`, token, asked)),
  );
  if (path === undefined) throw new Error("nothing was claimed");
  const begun = '{"status":"in-progress"}';
  expectStatus(await timed(times.report, () => send(`PATCH ${path}`, token, begun)), 200);
  expectStatus(
    await timed(times.finish, () => send(`POST ${path}/finish`, token, finishBody)),
    200,
  );
}

async function timed<Result>(times: number[], act: () => Promise<Result>): Promise<Result> {
  const startedAtMs = performance.now();
  const result = await act();
  times.push(performance.now() - startedAtMs);
  return result;
}

function noTimes(): Times {
  return { enqueue: [], claim: [], report: [], finish: [] };
}
