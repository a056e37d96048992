import { beforeAll, describe, expect, test } from "vitest";
import type { Runner } from "../../../shared/api/runner.ts";
import { runnerJobGroups } from "../../../shared/runner-job-types.ts";
import { type GivenOperator, givenOperator } from "../../support/broker/given-operator.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { claim, givenJobs, givenOrg, givenProcess } from "../../support/rows/given.ts";

let at: GivenOperator;
beforeAll(async () => {
  at = await givenOperator();
});

describe("a runner", () => {
  test("is created with its queues, its status and its first operation", async () => {
    const group = await at.createGroup();
    const body = { name: " acme ", display_name: "Acme", runner_group_id: group.id };
    const answer = await at.call<Runner>("POST /v1/runners", { body });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({
      org_id: at.orgId,
      name: "acme",
      display_name: "Acme",
      runner_group_id: group.id,
      lifecycle: "enabled",
      status: "awaiting-heartbeat",
      restart_requested: false,
      warnings: [],
      pause: null,
      runner_group: { id: group.id, settings: { runner_group_id: group.id } },
      operations: [{ operation_type: "provision", status: "success" }],
    });
    const { status_v2, queues, created_by_id } = answer.body;
    expect(status_v2).toMatchObject({
      status: "awaiting-heartbeat",
      status_human_description: "no process has sent a heart-beat yet",
      metadata: { by: created_by_id },
      history: [],
    });
    expect(Math.abs(status_v2.created_at_ts - Date.now())).toBeLessThan(60_000);
    expect(queues.map(({ name }) => name)).toEqual([...runnerJobGroups]);
    expect(queues[3]).toMatchObject({
      id: `${answer.body.id}:deploy`,
      owner_id: answer.body.id,
      max_depth: 10_000,
      max_in_flight: 1,
      depth: 0,
      in_flight: 0,
      slots: 0,
      paused: false,
      held: null,
      status_v2: { status: "active" },
    });
  });

  test("shows what its queues do and what it was before", async () => {
    const { given, id } = await at.createRunner();
    const settings = { job_group_parallelism: { deploy: "2" }, job_group_max_depth: 50 };
    await at.call(`PATCH /v1/runners/${id}/settings`, { body: settings });
    const processId = await givenProcess(at.db, given, { serves: { deploy: 4 } });
    await givenJobs(at.db, given, [{}, {}, {}, {}, {}]);
    const [taken] = await claim(at.db, given, { processId });
    const { body } = await at.call<Runner>(`GET /v1/runners/${id}`);
    expect(body.queues.find(({ name }) => name === "deploy")).toMatchObject({
      max_depth: 50,
      max_in_flight: 2,
      offered: 4,
      slots: 2,
      depth: 4,
      available: 1,
      in_flight: 1,
      stopping: 0,
    });
    expect(body.jobs?.map(({ status }) => status).sort((a, b) => (a < b ? -1 : 1))).toEqual([
      "available",
      "in-progress",
      "queued",
      "queued",
      "queued",
    ]);
    expect(body.runner_job?.id).toBe(taken?.jobId);
    expect(body.status).toBe("active");
    expect(body.status_v2.status).toBe("active");
    expect(body.status_v2.history.map(({ status }) => status)).toEqual(["awaiting-heartbeat"]);
  });

  test.each([
    [{ name: "" }, "#/name", "too_small"],
    [{ name: "x".repeat(201) }, "#/name", "too_big"],
    [{ name: 7 }, "#/name", "invalid_type"],
    [{ name: "a\u0000b" }, "#/name", "nul_character"],
    [{ name: "ok", runner_group_id: null }, "#/runner_group_id", "required"],
    [{ name: "ok", lifecycle: "deleted" }, "#/lifecycle", "unknown_member"],
  ])("is not created from %j", async (given, pointer, code) => {
    const { id } = await at.createGroup();
    const answer = await at.call("POST /v1/runners", { body: { runner_group_id: id, ...given } });
    expect(answer.status).toBe(422);
    expect(answer.body["errors"]).toContainEqual(expect.objectContaining({ pointer, code }));
  });

  test("has a name of its own in its org, also when ten are created at once", async () => {
    const { id: runner_group_id } = await at.createGroup();
    const body = { name: "the only one", runner_group_id };
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => at.call("POST /v1/runners", { body })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(9);
    const other = await at.createRunner();
    const renamed = await at.call(`PATCH /v1/runners/${other.id}`, {
      body: { name: "the only one" },
    });
    expect(renamed).toMatchObject({ status: 409, body: { code: "runner_name_taken" } });
    const shown = await at.call(`PATCH /v1/runners/${other.id}`, { body: { display_name: "Two" } });
    expect(shown).toMatchObject({ status: 200, body: { name: other.name, display_name: "Two" } });
    const stranger = await givenOrg(at.db);
    const token = await givenToken(at.db, { orgId: stranger });
    const theirs = await at.call("POST /v1/runner-groups", { token, body: { type: "org" } });
    const same = { name: "the only one", runner_group_id: theirs.body["id"] };
    expect((await at.call("POST /v1/runners", { token, body: same })).status).toBe(201);
  });

  test("is made once for an idempotency key", async () => {
    const { id: runner_group_id } = await at.createGroup();
    const create = (name: string) =>
      at.call("POST /v1/runners", {
        body: { name, runner_group_id },
        headers: { "idempotency-key": "runner-1" },
      });
    const [first, second] = [await create("keyed"), await create("keyed")];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body["id"]).toBe(first.body["id"]);
    expect((await create("another")).status).toBe(422);
  });

  test("is listed page by page, the newest first, with filters", async () => {
    const group = await at.createGroup();
    const made: Runner[] = [];
    for (let n = 0; n < 5; n++) made.unshift(await at.createRunner({ runner_group_id: group.id }));
    await at.call(`POST /v1/runners/${made[2]?.id}/disable`);
    const seen: Runner[] = [];
    let cursor = "";
    do {
      const path = `/v1/runners?limit=2&runner_group_id=${group.id}&cursor=${cursor}`;
      const { body } = await at.call<{ items: Runner[]; next_cursor: string | null }>(
        `GET ${path}`,
      );
      seen.push(...body.items);
      cursor = body.next_cursor ?? "";
    } while (cursor !== "");
    expect(seen.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
    expect(seen[0]?.queues.length).toBe(runnerJobGroups.length);
    const count = async (filter: string) => {
      const path = `GET /v1/runners?runner_group_id=${group.id}&${filter}`;
      return (await at.call<{ items: Runner[] }>(path)).body.items.length;
    };
    expect(await count("lifecycle=disabled")).toBe(1);
    expect(await count("status=awaiting-heartbeat")).toBe(4);
    expect(await count(`name=${encodeURIComponent(made[1]?.name ?? "")}`)).toBe(1);
    const forged = Buffer.from(JSON.stringify(["x", "y", "z"])).toString("base64url");
    expect((await at.call(`GET /v1/runners?cursor=${forged}`)).status).toBe(422);
    expect((await at.call("GET /v1/runners?lifecycle=deleted")).status).toBe(422);
  });

  test("is read by its own token, and by no other runner's", async () => {
    const [mine, other] = [await at.createRunner(), await at.createRunner()];
    const token = await givenToken(at.db, { orgId: at.orgId, runnerId: mine.id });
    const own = await at.call<Runner>(`GET /v1/runners/${mine.id}`, { token });
    expect(own).toMatchObject({ status: 200, body: { id: mine.id } });
    const foreign = await at.call(`GET /v1/runners/${other.id}`, { token });
    expect(foreign.status).toBe(404);
    expect(foreign.headers.get("content-type")).toBe("application/json");
    expect(foreign.body).toMatchObject({ error: "This runner does not exist.", user_error: true });
    for (const what of [
      "GET /v1/runners",
      "GET /v1/runner-groups",
      `POST /v1/runners/${mine.id}/pause`,
    ]) {
      expect([what, (await at.call(what, { token })).status]).toEqual([what, 403]);
    }
  });

  test("of another org is not there", async () => {
    const { id } = await at.createRunner();
    const token = await givenToken(at.db, { orgId: await givenOrg(at.db) });
    const path = `/v1/runners/${id}`;
    const calls = ["enable", "disable", "deprovision", "pause", "resume"].map(
      (verb) => `POST ${path}/${verb}`,
    );
    calls.push(
      `GET ${path}`,
      `PATCH ${path}`,
      `DELETE ${path}`,
      `GET ${path}/settings`,
      `PATCH ${path}/settings`,
    );
    for (const what of calls) {
      const answer = await at.call(what, { token });
      expect([what, answer.status, answer.body["code"]]).toEqual([what, 404, "runner_not_found"]);
    }
    const { body } = await at.call<Runner>(`GET ${path}`);
    expect(body).toMatchObject({ lifecycle: "enabled", pause: null, version: 1 });
  });

  test("is changed by nobody who may only read", async () => {
    const { id } = await at.createRunner();
    const reader = await givenToken(at.db, { orgId: at.orgId, role: "org_read_only" });
    const support = await givenToken(at.db, { orgId: at.orgId, role: "org_support" });
    expect((await at.call(`GET /v1/runners/${id}`, { token: reader })).status).toBe(200);
    for (const verb of ["enable", "disable", "deprovision", "pause", "resume"]) {
      expect((await at.call(`POST /v1/runners/${id}/${verb}`, { token: reader })).status).toBe(403);
    }
    expect((await at.call(`POST /v1/runners/${id}/pause`, { token: support })).status).toBe(200);
    expect((await at.call(`POST /v1/runners/${id}/disable`, { token: support })).status).toBe(403);
  });
});
