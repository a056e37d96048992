import { describe, expect, test } from "vitest";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenExecution, givenJob, givenRunner } from "../../support/rows/given.ts";

const { url, db } = await testDatabase();
const { call } = await startBroker({ url });

async function setup() {
  const runner = await givenRunner(db, { parallelism: { deploy: 10 } });
  const token = await givenToken(db, { orgId: runner.orgId, runnerId: runner.runnerId });
  const path = `/v1/runners/${runner.runnerId}/processes`;
  const register = (body: object) => call(`POST ${path}`, { token, body });
  return { ...runner, token, path, register };
}

const ours = { type: "install", version: "2.0.0", groups: { deploy: 2 } };

describe("registering a process", () => {
  test("an existing client gets a process without a secret, serving what its type serves", async () => {
    const { register, runnerId, orgId } = await setup();
    const { status, body } = await register({
      type: "install",
      version: "1.4.0",
      more: 1,
      groups: null,
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      org_id: orgId,
      runner_id: runnerId,
      type: "install",
      version: "1.4.0",
      groups: { sync: 1, sandbox: 1, deploy: 1, actions: 1, operations: 1 },
      initial_health_check: false,
      restart_requested: false,
      composite_status: { status: "pending", status_human_description: "registered", history: [] },
      shutdowns: [],
      warnings: [],
    });
    expect(body).not.toHaveProperty("secret");
    expect(body["id"]).toMatch(/^prc_[0-9a-hjkmnp-tv-z]{26}$/);
  });

  test("an agent of ours gets its secret once, and only its digest is stored", async () => {
    const { register, path, token } = await setup();
    const { status, body } = await register(ours);
    expect(status).toBe(201);
    expect(body["secret"]).toMatch(/^[\w-]{43}$/);
    const read = await call(`GET ${path}/${String(body["id"])}`, { token });
    expect(read.body).toMatchObject({ id: body["id"], groups: { deploy: 2 } });
    expect(JSON.stringify(read.body)).not.toContain(String(body["secret"]));
    const [row] =
      await db`select row_to_json(p)::text as text from runner_processes p where id = ${String(body["id"])}`;
    expect(row?.["text"]).not.toContain(String(body["secret"]));
  });

  test("an unknown group, negative slots and an unknown type are refused with their place", async () => {
    const { register } = await setup();
    for (const [body, pointer] of [
      [{ ...ours, groups: { deploys: 1 } }, "#/groups/deploys"],
      [{ ...ours, groups: { deploy: -1 } }, "#/groups/deploy"],
      [{ ...ours, groups: { deploy: 1.5 } }, "#/groups/deploy"],
      [{ ...ours, groups: [] }, "#/groups"],
      [{ type: "installer" }, "#/type"],
      [{ type: "install", version: 3 }, "#/version"],
    ] as const) {
      const answer = await register(body);
      expect(answer.status).toBe(422);
      expect(answer.body["errors"]).toMatchObject([{ pointer }]);
    }
    expect(
      (await register({ ...ours, groups: JSON.parse('{"__proto__": 1}') as object })).status,
    ).toBeLessThan(500);
  });

  test("a container's next restart is told at its registration", async () => {
    const { register, groupId } = await setup();
    await db`
      update runner_group_settings set document = document || '{"container_max_uptime": 3600}'
       where runner_group_id = ${groupId}`;
    const { body } = await register(ours);
    const after =
      Date.parse(String(body["next_scheduled_restart_at"])) -
      Date.parse(String(body["started_at"]));
    expect(after).toBe(3_600_000);
  });

  test("a runner's token reaches its own runner only", async () => {
    const [mine, other] = [await setup(), await setup()];
    expect((await call(`POST ${other.path}`, { token: mine.token, body: ours })).status).toBe(404);
    expect((await call(`POST ${other.path}`, { body: ours })).status).toBe(401);
  });
});

describe("taking over", () => {
  test("with the old secret, what ran is the new process's and the old one has shut down", async () => {
    const given = await setup();
    const old = (await given.register(ours)).body;
    const held = await givenExecution(db, given, { processId: String(old["id"]) });
    const { status, body } = await given.register({
      ...ours,
      takes_over: old["id"],
      secret: old["secret"],
    });
    expect(status).toBe(201);
    expect(body["secret"]).not.toBe(old["secret"]);
    const [live] = await db`
      select l.process_id, e.process_id as by_execution, l.status
        from runner_job_live l join runner_job_executions e on e.id = l.execution_id where l.id = ${held.jobId}`;
    expect(live).toEqual({
      process_id: body["id"],
      by_execution: body["id"],
      status: "in-progress",
    });
    const read = await call(`GET ${given.path}/${String(old["id"])}`, { token: given.token });
    expect(read.body["composite_status"]).toMatchObject({
      status: "shut-down",
      history: [{ status: "pending" }],
    });
    await givenJob(db, given);
    expect(await claim(db, given, { processId: String(old["id"]) })).toEqual([]);
    expect(await claim(db, given, { processId: String(body["id"]) })).toHaveLength(1);
  });

  test("with a wrong secret, none, or a process of another runner, nothing moves", async () => {
    const [given, other] = [await setup(), await setup()];
    const old = (await given.register(ours)).body;
    const foreign = (await other.register(ours)).body;
    const third = (await given.register({ type: "install" })).body;
    const held = await givenExecution(db, given, { processId: String(old["id"]) });
    for (const takeover of [
      { takes_over: old["id"], secret: "wrong" },
      { takes_over: old["id"] },
      { takes_over: foreign["id"], secret: foreign["secret"] },
      { takes_over: third["id"], secret: "" },
      { takes_over: "prc_nobody", secret: old["secret"] },
    ]) {
      const { status, body } = await given.register({ ...ours, ...takeover });
      expect(status).toBe(409);
      expect(body["code"]).toBe("takeover_refused");
    }
    const [live] = await db`select process_id from runner_job_live where id = ${held.jobId}`;
    expect(live).toEqual({ process_id: old["id"] });
    const list = await call(`GET ${given.path}`, {
      token: await givenToken(db, { orgId: given.orgId }),
    });
    expect(list.body["items"]).toHaveLength(2);
  });

  test("whose answer was lost, asked for again and again, leaves one process: the last", async () => {
    const given = await setup();
    const old = (await given.register(ours)).body;
    const held = await givenExecution(db, given, { processId: String(old["id"]) });
    const takeover = { ...ours, takes_over: old["id"], secret: old["secret"] };
    const again = async () => await given.register(takeover);
    const answers = [...(await Promise.all([again(), again(), again()])), await again()];
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    const living = await db<{ id: string }[]>`
      select id from runner_processes where runner_id = ${given.runnerId} and status <> 'shut-down'`;
    expect(living).toEqual([{ id: answers.at(-1)?.body["id"] }]);
    const [live] = await db`select process_id from runner_job_live where id = ${held.jobId}`;
    expect(live).toEqual({ process_id: living[0]?.id });
  });

  test("is refused once the one that took over has been heard of", async () => {
    const given = await setup();
    const old = (await given.register(ours)).body;
    const takeover = { ...ours, takes_over: old["id"], secret: old["secret"] };
    const { body } = await given.register(takeover);
    const beat = await call(`POST /v1/runners/${given.runnerId}/heart-beats`, {
      token: given.token,
      body: { alive_time: 1, version: "2.0.0", process_id: body["id"] },
    });
    expect(beat.status).toBe(201);
    expect((await given.register(takeover)).status).toBe(409);
  });
});
