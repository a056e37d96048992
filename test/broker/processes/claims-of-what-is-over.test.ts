import { describe, expect, test } from "vitest";
import type { ProcessOrder } from "../../../shared/api/process-order.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  type GivenExecution,
  givenExecution,
  givenJob,
  givenRunner,
} from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { call } = await startBroker({ url });

type Claimed = { jobs: { job: { id: string } }[]; orders: ProcessOrder[] };

async function setup() {
  const runner = await givenRunner(db, { parallelism: { deploy: 10 } });
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const path = `/v1/runners/${runner.runnerId}`;
  const ours = { type: "install", version: "2.0.0", groups: { deploy: 10 } };
  const { body: process } = await call<{ id: string }>(`POST ${path}/processes`, {
    token,
    body: ours,
  });
  const begun = async (): Promise<GivenExecution> => {
    const held = await givenExecution(db, runner, { processId: process.id });
    await db`
      update runner_job_executions set status = 'in-progress', confirmed_at = svc_now()
       where id = ${held.executionId}`;
    return held;
  };
  /** Nobody waits for its stop any more: no order stands for it. */
  const cancelLongAgo = async ({ jobId, executionId }: GivenExecution): Promise<void> => {
    await db`select * from end_jobs(${runner.orgId}, ${[jobId]}, 'cancel', 'enough')`;
    await db`select confirm_stopped(${[executionId]}, svc_now())`;
  };
  const ask = async (body: object) =>
    await call<Claimed>(`POST ${path}/jobs/claim`, {
      token,
      body: { process_id: process.id, groups: { deploy: 1 }, ...body },
    });
  return { runner, token, process, begun, cancelLongAgo, ask };
}

const order = (held: GivenExecution, reason: string): object => ({
  type: "cancel",
  execution_id: held.executionId,
  job_id: held.jobId,
  reason,
});

describe("a claim that names what is over", () => {
  test("is told so without a wait, and of nothing that goes on", async () => {
    const { begun, cancelLongAgo, ask } = await setup();
    const [over, goesOn] = [await begun(), await begun()];
    await cancelLongAgo(over);
    const executions = [over.executionId, goesOn.executionId, "exe_of_nobody"];
    // It waits for longer than a test may take where there are no news.
    const { body } = await ask({ executions, wait: "25s" });
    expect(body).toMatchObject({ jobs: [] });
    expect(body.orders).toHaveLength(2);
    expect(body.orders).toContainEqual(order(over, "cancelled"));
    expect(body.orders).toContainEqual(expect.objectContaining({ execution_id: "exe_of_nobody" }));
  });

  test("brings jobs as well, and waits where what is over is known already", async () => {
    const { runner, begun, cancelLongAgo, ask } = await setup();
    const over = await begun();
    await cancelLongAgo(over);
    const executions = [over.executionId];
    const waiting = await givenJob(db, runner);
    const { body } = await ask({ executions });
    expect(body.jobs.map(({ job }) => job.id)).toEqual([waiting]);
    expect(body.orders).toEqual([order(over, "cancelled")]);
    const parked = ask({ executions, known_orders: executions });
    const late = await givenJob(db, runner);
    expect((await parked).body.jobs.map(({ job }) => job.id)).toEqual([late]);
  });

  test("is not told of what another org's process holds", async () => {
    const { ask } = await setup();
    const other = await setup();
    const foreign = await other.begun();
    const { body } = await ask({ executions: [foreign.executionId] });
    expect(body.orders).toEqual([
      { type: "cancel", execution_id: foreign.executionId, job_id: "", reason: "lost" },
    ]);
  });
});

describe("records of an execution that is over, in a stream that is open yet", () => {
  test("are taken, and their agent is told that it is over", async () => {
    const { runner, token, begun, process } = await setup();
    const [lost, goesOn] = [await begun(), await begun()];
    await db`update runner_job_live set max_executions = 2 where id = ${lost.jobId}`;
    await db`
      select move_jobs(array[row(${lost.jobId}, 'retry', 'failed', 'broker', 'process lost', null, 'lost', null)::job_move],
                       svc_now())`;
    await claim(db, runner, { processId: process.id });
    let seq = 0;
    const append = async ({ jobId, executionId }: GivenExecution) => {
      const path = `POST /v1/log-streams/lgs_${jobId.slice(4)}/logs`;
      seq += 1;
      const answer = await call(path, { token, body: numbered(executionId, seq) });
      expect(answer.status).toBe(201);
      return answer.headers.get("svc-execution");
    };
    await expect.poll(() => append(lost)).toBe("over");
    await append(goesOn);
    expect(await append(goesOn)).toBe(null);
  });
});

/** A line as an agent numbers it. */
function numbered(executionId: string, seq: number): object {
  const attributes = [
    { key: "svc.seq", value: { intValue: `${seq}` } },
    { key: "runner_job_execution.id", value: { stringValue: executionId } },
  ];
  const logRecords = [{ body: { stringValue: `line ${seq}` }, attributes }];
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}
