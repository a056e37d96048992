import { beforeAll, describe, expect, test } from "vitest";
import { topics } from "../../../broker/wake/wakes.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import {
  claim,
  givenExecution,
  givenJob,
  givenJobs,
  givenProcess,
  report,
} from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

const order = (runnerId: string, verb: string) =>
  at.call<Runner>(`POST /v1/runners/${runnerId}/${verb}`);

const done = { status: "finished", result: { success: true } };

describe("a disabled runner", () => {
  test("takes no jobs, keeps those that wait, and lets running ones finish", async () => {
    const { given, id } = await at.createRunner();
    const processId = await givenProcess(at.db, given);
    const { executionId } = await givenExecution(at.db, given, { processId });
    const waiting = await givenJob(at.db, given);
    const { body } = await order(id, "disable");
    expect(body).toMatchObject({ lifecycle: "disabled", status: "disabled" });
    expect(body.status_v2.metadata["by"]).toMatch(/^tok_/);
    expect(body.queues.every(({ held, slots }) => held === "disabled" && slots === 0)).toBe(true);
    await expect(givenJob(at.db, given)).rejects.toThrow("runner-disabled");
    expect(await report(at.db, given, { executionId, ...done })).toBe("ok");
    expect(await claim(at.db, given, { processId })).toEqual([]);
    await order(id, "enable");
    expect((await claim(at.db, given, { processId })).map(({ jobId }) => jobId)).toEqual([waiting]);
  });

  test("is as it was when told again, and leaves one trace of it", async () => {
    const { id } = await at.createRunner();
    await order(id, "disable");
    const { status, body } = await order(id, "disable");
    expect(status).toBe(200);
    expect(body.version).toBe(2);
    expect(body.status_v2.history.map(({ status }) => status)).toEqual(["awaiting-heartbeat"]);
  });

  test("never has a job on offer, however many are enqueued meanwhile", async () => {
    for (let n = 0; n < 5; n++) {
      const { given, id } = await at.createRunner();
      await at.call(`PATCH /v1/runners/${id}/settings`, {
        body: { job_group_parallelism: { deploy: "9" } },
      });
      const processId = await givenProcess(at.db, given, { serves: { deploy: 9 } });
      const enqueues = Array.from({ length: 10 }, () =>
        givenJob(at.db, given).then(
          () => "taken",
          () => "refused",
        ),
      );
      const [disabled, ...outcomes] = await Promise.all([order(id, "disable"), ...enqueues]);
      expect(disabled.status).toBe(200);
      expect(await claim(at.db, given, { processId, want: 9 })).toEqual([]);
      const [row] = await at.db`
        select count(*)::int as n, count(*) filter (where has_slot)::int as offered
          from runner_job_live where runner_id = ${id}`;
      expect(row).toEqual({
        n: outcomes.filter((outcome) => outcome === "taken").length,
        offered: 0,
      });
    }
  });
});

describe("a deprovisioned runner", () => {
  test("ends all its jobs as not attempted; what runs is told to stop and keeps its slot until it has", async () => {
    const { given, id } = await at.createRunner();
    const processId = await givenProcess(at.db, given);
    const running = await givenExecution(at.db, given, { processId });
    await report(at.db, given, { executionId: running.executionId, status: "in-progress" });
    const waiting = await givenJobs(at.db, given, [{}, { type: "noop" }]);
    let told = 0;
    at.broker.broker.wakes.subscribe(topics.process(processId), () => told++);
    const { status, body } = await order(id, "deprovision");
    expect(status).toBe(200);
    expect(body).toMatchObject({ lifecycle: "deprovisioned", status: "deprovisioned" });
    expect(body.operations.map(({ operation_type }) => operation_type)).toEqual([
      "deprovision",
      "provision",
    ]);
    const ends = await at.db`
      select runner_job_id as id, status from runner_job_ends where org_id = ${at.orgId}
         and runner_job_id = any(${[running.jobId, ...waiting]}) order by 1`;
    expect(ends).toEqual(
      [running.jobId, ...waiting].map((job) => ({ id: job, status: "not-attempted" })),
    );
    expect(told).toBe(1);
    const [order_] = await at.db`select orders from orders_for(${[processId]})`;
    expect(order_?.["orders"]).toMatchObject([
      { type: "cancel", execution_id: running.executionId },
    ]);
    expect(body.queues.find(({ name }) => name === "deploy")).toMatchObject({
      stopping: 1,
      depth: 0,
    });
    await expect(givenJob(at.db, given)).rejects.toThrow("runner-deprovisioned");
  });

  test("cannot be disabled, and comes back when it is enabled", async () => {
    const { given, id } = await at.createRunner();
    await order(id, "deprovision");
    expect(await order(id, "disable")).toMatchObject({
      status: 409,
      body: { code: "runner_deprovisioned" },
    });
    const { body } = await order(id, "enable");
    expect(body).toMatchObject({ lifecycle: "enabled", status: "awaiting-heartbeat" });
    expect(body.operations[0]?.operation_type).toBe("reprovision");
    await givenJob(at.db, given);
  });

  test("leaves no job behind, however many are enqueued and claimed meanwhile", async () => {
    for (let n = 0; n < 5; n++) {
      const { given, id } = await at.createRunner();
      const processId = await givenProcess(at.db, given, { serves: { deploy: 5, operations: 5 } });
      await givenJobs(at.db, given, [{}, {}, { type: "noop" }]);
      await Promise.all([
        ...Array.from({ length: 5 }, () => givenJob(at.db, given).catch(() => "refused")),
        order(id, "deprovision"),
        ...Array.from({ length: 5 }, () => claim(at.db, given, { processId })),
      ]);
      const left = await at.db`select id, status from runner_job_live where runner_id = ${id}`;
      expect(left).toEqual([]);
    }
  });
});

describe("a deleted runner", () => {
  test("is gone, its waiting jobs not attempted, its tokens revoked, its name free", async () => {
    const { given, id, name, runner_group_id } = await at.createRunner();
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: id });
    await givenProcess(at.db, given);
    const waiting = await givenJobs(at.db, given, [{}, {}]);
    expect((await at.call(`GET /v1/runners/${id}`, { token })).status).toBe(200);
    expect((await at.call(`DELETE /v1/runners/${id}`)).status).toBe(204);
    const ends = await at.db`
      select status from runner_job_ends where runner_job_id = any(${waiting})`;
    expect(ends).toEqual([{ status: "not-attempted" }, { status: "not-attempted" }]);
    expect((await at.call(`GET /v1/runners/${id}`, { token })).status).toBe(401);
    for (const what of [
      `GET /v1/runners/${id}`,
      `DELETE /v1/runners/${id}`,
      `POST /v1/runners/${id}/enable`,
    ]) {
      expect((await at.call(what)).status).toBe(404);
    }
    await expect(givenJob(at.db, given)).rejects.toThrow("no-runner");
    await at.createRunner({ name, runner_group_id });
    const [row] = await at.db`select lifecycle from runners where id = ${id}`;
    expect(row).toEqual({ lifecycle: "deleted" });
  });

  test("is not deleted while an execution runs", async () => {
    const { given, id } = await at.createRunner();
    const processId = await givenProcess(at.db, given);
    const { executionId } = await givenExecution(at.db, given, { processId });
    const waiting = await givenJob(at.db, given);
    const refused = await at.call(`DELETE /v1/runners/${id}`);
    expect(refused).toMatchObject({ status: 409, body: { code: "runner_busy" } });
    const [row] = await at.db`select status from runner_job_live where id = ${waiting}`;
    expect(row).toEqual({ status: "queued" });
    await report(at.db, given, { executionId, ...done });
    expect((await at.call(`DELETE /v1/runners/${id}`)).status).toBe(204);
  });

  test("has no execution, whichever of a claim and the delete is first", async () => {
    for (let n = 0; n < 10; n++) {
      const { given, id } = await at.createRunner();
      const processId = await givenProcess(at.db, given);
      await givenJob(at.db, given);
      const [claimed, { status }] = await Promise.all([
        claim(at.db, given, { processId }),
        at.call(`DELETE /v1/runners/${id}`),
      ]);
      expect([
        [1, 409],
        [0, 204],
      ]).toContainEqual([claimed.length, status]);
    }
  });
});

test("orders that meet beats and each other never block each other", async () => {
  const { given, id } = await at.createRunner();
  const verbs = ["disable", "enable", "pause", "resume", "deprovision", "enable"];
  const answers = await Promise.all([
    ...Array.from({ length: 30 }, (_, n) => order(id, verbs[n % verbs.length] ?? "enable")),
    ...Array.from({ length: 10 }, () => givenProcess(at.db, given)),
    ...Array.from({ length: 10 }, (_, n) =>
      at.call(`PATCH /v1/runners/${id}/settings`, { body: { job_group_max_depth: n + 100 } }),
    ),
  ]);
  const statuses = answers.flatMap((answer) => (typeof answer === "string" ? [] : [answer.status]));
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
});
