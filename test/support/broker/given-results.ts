import { randomBytes } from "node:crypto";
import { testDatabase } from "../database/database.ts";
import { givenToken } from "../rows/given-token.ts";
import { givenProcess, givenRunner } from "../rows/given.ts";
import { startBroker } from "./broker.ts";

type Claimed = { jobs: { execution: { id: string } }[] };

/** Base64 of bytes that nothing makes shorter. */
export const noise = (bytes: number): string => randomBytes(bytes).toString("base64");

/** A broker, and runners that have results for it. */
export async function givenResults() {
  const { db, url } = await testDatabase();
  const broker = await startBroker({ url });
  /** A runner with one job in progress, and those who may speak for it. */
  async function setup(plan: object = {}) {
    const runner = await givenRunner(db);
    const { orgId, runnerId } = runner;
    const processId = await givenProcess(db, runner);
    const admin = await givenToken(db, { orgId });
    const token = await givenToken(db, { orgId, runnerId });
    const enqueue = (text: string, headers: Readonly<Record<string, string>> = {}) =>
      broker.call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, {
        token: admin,
        headers,
        body: `{"type":"terraform-deploy","plan":${text}}`,
      });
    const job = await enqueue(JSON.stringify(plan));
    const { body } = await broker.call<Claimed>(`POST /v1/runners/${runnerId}/jobs/claim`, {
      token,
      body: { process_id: processId, poll_id: "p", groups: { deploy: 1 } },
    });
    const executionId = body.jobs[0]?.execution.id ?? "";
    const execution = `/v1/runner-jobs/${job.body.id}/executions/${executionId}`;
    return { ...runner, admin, token, processId, enqueue, execution };
  }
  return { db, url, broker, setup };
}
