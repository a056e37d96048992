import { type Answer, requestText } from "./http-client.ts";
import type { Bench } from "./support/bench.ts";
import { medianRate } from "./support/in-turns.ts";
import { livesInTurns, tellLives } from "./support/lives-contest.ts";
import { expectStatus, jobBody, type LiveClient } from "./support/lives.ts";

const batch = 100;
const jobsBody = `{"jobs":[${Array.from({ length: batch }, () => jobBody).join(",")}]}`;

/**
 * Whole lives over HTTP in batches of 100 jobs: jobs/batch, claim, first reports, ends; 8 clients at 8 runners, each
 * with 100 slots. Against Hono over pg-boss by the same calls, and pg-boss alone with one sender and one fetcher.
 */
export const livesBatch: Bench = {
  what: "whole lives of jobs over HTTP in batches of 100, 8 clients",
  run: async (options, tell) => {
    const turns = await livesInTurns(options, {
      name: "lives-batch",
      kind: "batch",
      clients: 8,
      livesAtOnce: batch,
      slots: batch,
      act: liveTogether,
    });
    const { ours, alone, graphile, overHttp } = turns;
    tell({ figure: "lives, batches of 100", value: medianRate(ours), unit: "lives/s" });
    tell({ figure: "pg-boss alone", value: medianRate(alone), unit: "jobs/s" });
    tell({ figure: "graphile-worker alone", value: medianRate(graphile), unit: "jobs/s" });
    tell({ figure: "Hono over pg-boss", value: medianRate(overHttp), unit: "lives/s" });
    tellLives(tell, turns, { alone: 0.75, graphile: 0.75, overHttp: 1.2 });
  },
};

/** A hundred lives: enqueued in one call, claimed in one, begun in one, ended in one. */
async function liveTogether({ connection, agent, adminToken }: LiveClient): Promise<void> {
  const { runnerId, processId, token } = agent;
  const path = `/v1/runners/${runnerId}`;
  const send = (what: string, by: string, body: string) =>
    connection.send(requestText(what, by, body));
  expectStatus(await send(`POST ${path}/jobs/batch`, adminToken, jobsBody), 201);
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
  return [...claim.body.matchAll(/"execution":\{"id":"(exe_[\w-]+)"/g)].map(([, id = ""]) => id);
}

function expectAllTaken(answer: Answer): void {
  expectStatus(answer, 200);
  const taken = answer.body.split('"status":200,').length - 1;
  if (taken !== batch) throw new Error(`${taken} of ${batch} reports were taken: ${answer.body}`);
}
