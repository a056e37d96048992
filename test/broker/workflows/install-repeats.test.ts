import { expect, test } from "vitest";
import type { Install } from "../../../shared/api/install.ts";
import { givenRunner } from "../../support/rows/given.ts";
import { givenWorkflowsApi } from "../../support/workflows/workflows-api.ts";

const { db, setup } = await givenWorkflowsApi();

const whole = {
  aws_account: { region: "eu-west-1" },
  expected_account_id: "123456789012",
  inputs: { audience: "world", secret: "s3cr3t-value", size: "12" },
  labels: { tier: "gold", team: "mine" },
  label_templates: { heard: "{{ .svc.inputs.inputs.audience }}" },
  metadata: { managed_by: "terraform" },
  install_config: { approval_option: "approve-all", labels: { of: "config" } },
  sandbox_mode: true,
};

const isThere = ({ headers }: { headers: Headers }): boolean =>
  headers.get("idempotent-replayed") === "true";

test("an install that is created again with the same content is the one that is there", async () => {
  const org = await setup();
  const first = await org.create(whole);
  expect(first.status).toBe(201);
  const reordered = { ...whole, inputs: { size: 12, secret: "s3cr3t-value", audience: "world" } };
  for (const again of [whole, reordered, { ...whole, start: false }]) {
    const answer = await org.create(again);
    expect(answer).toMatchObject({ status: 201, body: { id: first.body.id, install_number: 1 } });
    expect(isThere(answer)).toBe(true);
    expect(answer.body.workflow_id).toBeUndefined();
    expect(JSON.stringify(answer.body)).not.toContain("s3cr3t");
  }
  const byApp = { ...whole, name: "acme", app_id: org.appId };
  expect(await org.api("POST /v1/installs", byApp)).toMatchObject({
    status: 201,
    body: { id: first.body.id },
  });
  const [count] = await db<{ installs: number; workflows: number; groups: number }[]>`
    select (select count(*)::int from installs where org_id = ${org.orgId}) as installs,
           (select count(*)::int from workflows where org_id = ${org.orgId}) as workflows,
           (select count(*)::int from runner_groups where org_id = ${org.orgId} and type = 'install') as groups`;
  expect(count).toEqual({ installs: 1, workflows: 1, groups: 1 });
});

test("other content under the name of an install is refused", async () => {
  const org = await setup();
  const { body: first } = await org.create({ ...whole, start: false });
  const runner = await givenRunner(db, { orgId: org.orgId });
  for (const other of [
    { aws_account: { region: "eu-west-2" } },
    { expected_account_id: "210987654321" },
    { inputs: { ...whole.inputs, secret: "another" } },
    { inputs: { audience: "world", size: 12 } },
    { labels: { tier: "silver" } },
    { label_templates: {} },
    { metadata: {} },
    { install_config: { labels: { of: "config" } } },
    { install_config: { ...whole.install_config, telemetry_enabled: true } },
    { sandbox_mode: null },
    { runner_group_id: runner.groupId },
  ]) {
    const { status, body } = await org.create({ ...whole, ...other });
    expect({ other, status, code: body.code, of: "install_id" in body && body.install_id }).toEqual(
      { other, status: 409, code: "name_taken", of: first.id },
    );
  }
});

test("what was changed since is what a repetition is compared with", async () => {
  const org = await setup();
  const runner = await givenRunner(db, { orgId: org.orgId });
  const given = { ...whole, runner_group_id: runner.groupId, start: false };
  const { body: first } = await org.create(given);
  const at = `/v1/installs/${first.id}`;
  expect(isThere(await org.create(given))).toBe(true);
  await org.api(`PATCH ${at}`, { metadata: { managed_by: "hand" } });
  expect((await org.create(given)).status).toBe(409);
  const changed = { ...given, metadata: { managed_by: "hand" } };
  expect(await org.create(changed)).toMatchObject({ status: 201, body: { id: first.id } });
  await org.api(`PATCH ${at}/inputs`, { inputs: { audience: "moon" } });
  expect((await org.create(changed)).status).toBe(409);
  const moon = { ...changed, inputs: { ...whole.inputs, audience: "moon" } };
  expect(isThere(await org.create(moon))).toBe(true);
});

test("of many who create one install at once all get the same", async () => {
  const { create } = await setup();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => create({ labels: { tier: "gold" } })),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
  expect(answers.filter(isThere)).toHaveLength(7);
  expect(new Set(answers.map(({ body }: { body: Install }) => body.id)).size).toBe(1);
});
