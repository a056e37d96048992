import { describe, expect, test } from "vitest";
import type { ShownInputs } from "../../../shared/api/install-inputs.ts";
import type { Install } from "../../../shared/api/install.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { givenInstall, givenWorkflowsApi, stepsOf } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

describe("an install", () => {
  test("is created with all that belongs to it, and waits for its runner", async () => {
    const { api, create, read } = await setup();
    const made = await create({ labels: { tier: "gold" } });
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: "acme",
        install_number: 1,
        labels: { tier: "gold", team: "platform" },
        app_default_labels: { team: "platform" },
        app_config_ref: { applied_config_id: null },
      },
    });
    const { id, runner_id: runner, runner_group_id: group, queues, workflow_id } = made.body;
    expect(queues.map(({ name }) => name)).toEqual(["changes", "plans", "actions"]);
    expect((await api(`GET /v1/runners/${runner}`)).body).toMatchObject({ display_name: "acme" });
    expect((await api(`GET /v1/runner-groups/${group}`)).body).toMatchObject({
      type: "install",
      owner_id: id,
    });
    await expect.poll(async () => (await read(workflow_id ?? "")).body.steps.length).toBe(6);
    const { body: workflow } = await read(workflow_id ?? "");
    expect(stepsOf(workflow).slice(0, 4)).toEqual([
      "generate install state: success",
      "provision runner service account: success",
      "runner healthy: in-progress",
      "first action run (pre-provision): pending",
    ]);
    const { body } = await api<Install>(`GET /v1/installs/${id}`);
    expect(body.lifecycle_phase).toMatchObject({ phase: "provisioning", workflow_id });
  });

  test("is active by the config that provisioned it", async () => {
    const org = await setup();
    const { installId, workflowId } = await givenInstall(org);
    const { body } = await org.api<Install>(`GET /v1/installs/${installId}`);
    expect(body).toMatchObject({
      lifecycle_phase: { phase: "active" },
      app_config_ref: { applied_config_id: org.configId, expected_config_id: org.configId },
    });
    expect(stepsOf((await org.read(workflowId)).body)).toEqual([
      "generate install state: success",
      "provision runner service account: success",
      "runner healthy: success",
      "first action run (pre-provision): success",
      "second action run (pre-provision): success",
      "last action run (post-provision): success",
    ]);
    const states = await org.api<object[]>(`GET /v1/installs/${installId}/state-history`);
    expect(states.body).toMatchObject([{ version: 1, triggered_by_id: workflowId }]);
  });

  test("needs an app with a config", async () => {
    const { api } = await setup();
    const bare = (await api<{ id: string }>("POST /v1/apps", { name: "bare" })).body;
    const none = await api(`POST /v1/apps/${bare.id}/installs`, { name: "acme" });
    expect(none).toMatchObject({ status: 409, body: { code: "no_active_config" } });
  });

  test("has a name of its own in its app, and a number that is never used again", async () => {
    const { api, create } = await setup();
    const { body: first } = await create({ start: false });
    expect(first.workflow_id).toBeUndefined();
    expect(await create({ labels: { tier: "gold" } })).toMatchObject({
      status: 409,
      body: { code: "name_taken", install_id: first.id },
    });
    await api(`DELETE /v1/installs/${first.id}`);
    expect((await api(`GET /v1/installs/${first.id}`)).status).toBe(404);
    expect((await create({ start: false })).body).toMatchObject({ install_number: 2 });
    for (const name of ["", " acme", "a\u{7}b", "x".repeat(64)])
      expect((await create({ name })).status).toBe(422);
  });

  test("takes the one runner of a group that no other install has", async () => {
    const org = await setup();
    const { create, api } = org;
    const runner = await givenRunner(db, { orgId: org.orgId });
    const wanted = { runner_group_id: runner.groupId, start: false };
    expect((await create(wanted)).body).toMatchObject({ runner_id: runner.runnerId });
    expect(await create({ ...wanted, name: "other" })).toMatchObject({
      status: 409,
      body: {
        code: "runner_group_taken",
        detail: expect.stringContaining("Name another runner, or none") as string,
      },
    });
    const foreign = await givenRunner(db);
    expect(
      (await create({ ...wanted, name: "other", runner_group_id: foreign.groupId })).status,
    ).toBe(404);
    const { body } = await api<Install[]>("GET /v1/installs?name=acme");
    await api(`POST /v1/installs/${body[0]?.id ?? ""}/forget`, { confirm: "acme" });
    expect((await create({ ...wanted, name: "other" })).status).toBe(201);
  });

  test("tells all that is wrong with its inputs at once", async () => {
    const { create } = await setup();
    const { status, body } = await create({ inputs: { greting: "x", size: "many", secret: 7 } });
    expect(status).toBe(422);
    expect(body.errors).toMatchObject([
      { pointer: "#/inputs/greting", code: "unknown_input" },
      { pointer: "#/inputs/size", code: "wrong_type" },
      { pointer: "#/inputs/secret", code: "wrong_type" },
      { pointer: "#/inputs/audience", code: "missing_input" },
    ]);
  });
});

describe("inputs", () => {
  test("are kept in versions, sealed, and what is sensitive is shown to nobody", async () => {
    const org = await setup();
    const given = { audience: "world", secret: "s3cr3t-value", size: "12" };
    const { installId } = await givenInstall(org, { inputs: given });
    const at = `/v1/installs/${installId}/inputs`;
    const { body } = await org.api<ShownInputs>(`GET ${at}/current`);
    expect(body).toMatchObject({
      version: 1,
      values: { audience: "world", secret: "(secret)", size: 12 },
    });
    const change = { inputs: { audience: "moon" } };
    const changed = await org.api<ShownInputs>(`PATCH ${at}`, change);
    expect(changed).toMatchObject({ status: 200, body: { version: 2, values: { size: 12 } } });
    const done = await org.reach(changed.body.workflow_id ?? "", "success");
    expect(stepsOf(done)).toEqual([
      "generate install state: success",
      "first action run (post-update-inputs): success",
    ]);
    const same = await org.api<ShownInputs>(`PATCH ${at}`, { inputs: { audience: "moon" } });
    expect(same.body).toMatchObject({ version: 2 });
    expect(same.body.workflow_id).toBeUndefined();
    const versions = (await org.api<{ version: number }[]>(`GET ${at}`)).body;
    expect(versions.map(({ version }) => version)).toEqual([2, 1]);
    expect((await org.api(`GET ${at}?limit=1`)).body).toMatchObject([{ version: 2 }]);
    const state = JSON.stringify((await org.api(`GET /v1/installs/${installId}/state`)).body);
    expect(state).toContain("moon");
    expect(state).not.toContain("s3cr3t");
    const rows = await db<{ text: string }[]>`
      select encode(n.contents, 'escape') as text from install_inputs n where n.install_id = ${installId}
      union all select encode(s.contents, 'escape') from install_states s where s.install_id = ${installId}`;
    expect(rows.map(({ text }) => text).join()).not.toContain("s3cr3t");
  });

  test("that are required cannot be taken away", async () => {
    const org = await setup();
    const { body } = await org.create({ start: false });
    const patched = await org.api(`PATCH /v1/installs/${body.id}/inputs`, {
      inputs: { audience: null },
    });
    expect(patched.body.errors).toMatchObject([{ code: "missing_input" }]);
  });
});

describe("labels", () => {
  test("of the app are locked; the others can be set, removed and searched for", async () => {
    const { api, create } = await setup();
    const { id } = (await create({ start: false })).body;
    const at = `/v1/installs/${id}/labels`;
    expect((await api<Install>(`POST ${at}`, { labels: { tier: "gold" } })).body.labels).toEqual({
      team: "platform",
      tier: "gold",
    });
    const locked = await api(`POST ${at}`, { labels: { team: "x", tier: "silver" } });
    expect(locked).toMatchObject({ status: 422, body: { errors: [{ code: "label_locked" }] } });
    expect((await api(`DELETE ${at}`, { keys: ["team"] })).status).toBe(422);
    const found = async (labels: string) =>
      (await api<Install[]>(`GET /v1/installs?labels=${encodeURIComponent(labels)}`)).body.length;
    expect(await found("tier:gold,team")).toBe(1);
    expect(await found("tier:silver")).toBe(0);
    await api(`DELETE ${at}`, { keys: ["tier"] });
    expect(await found("tier:*")).toBe(0);
  });
});

describe("the end of an install", () => {
  test("is a workflow that deprovisions it; then it is gone, and its runner is free", async () => {
    const org = await setup();
    const { installId, runner } = await givenInstall(org);
    const deleted = await org.api<{ workflow_id: string }>(`DELETE /v1/installs/${installId}`);
    expect(deleted.status).toBe(200);
    const done = await org.reach(deleted.body.workflow_id, "success");
    expect(stepsOf(done).at(-1)).toBe("runner deprovisioned: success");
    expect((await org.api(`GET /v1/installs/${installId}`)).status).toBe(404);
    // A runner that was there before the install stays.
    expect((await org.api(`GET /v1/runners/${runner.runnerId}`)).body).toMatchObject({
      lifecycle: "enabled",
    });
    expect((await org.create({ runner_group_id: runner.groupId, start: false })).status).toBe(201);
  });

  test("waits for no other change, and is refused while one is open", async () => {
    const org = await setup();
    const { body } = await org.create();
    await org.reach(body.workflow_id ?? "", "in-progress");
    for (const what of [
      `DELETE /v1/installs/${body.id}`,
      `POST /v1/installs/${body.id}/deprovision`,
    ])
      expect(await org.api(what, what.startsWith("POST") ? {} : undefined)).toMatchObject({
        status: 409,
        body: { code: "workflow_open" },
      });
    expect(await org.api(`POST /v1/installs/${body.id}/forget`, { confirm: "acme" })).toMatchObject(
      {
        body: { code: "workflow_open" },
      },
    );
    expect(
      await org.api(`POST /v1/installs/${body.id}/forget`, { confirm: "other" }),
    ).toMatchObject({
      body: { code: "unconfirmed" },
    });
  });
});

test("a role may do with installs what its permissions say", async () => {
  const org = await setup();
  const { installId } = await givenInstall(org);
  const as = (role: "org_read_only" | "org_support" | "org_builder") =>
    givenToken(db, { orgId: org.orgId, role });
  const reader = await as("org_read_only");
  const support = await as("org_support");
  const builder = await as("org_builder");
  const status = async (what: string, token: string, body: object = {}) =>
    (await org.brokers[0]?.call(what, { token, ...(what.startsWith("GET") ? {} : { body }) }))
      ?.status;
  expect(await status(`GET /v1/installs/${installId}`, reader)).toBe(200);
  expect(await status(`PATCH /v1/installs/${installId}`, reader)).toBe(403);
  expect(await status(`POST /v1/installs/${installId}/reprovision`, builder)).toBe(403);
  expect(await status(`POST /v1/installs/${installId}/reprovision`, support)).toBe(201);
  expect(await status(`POST /v1/installs/${installId}/deprovision`, support)).toBe(403);
});
