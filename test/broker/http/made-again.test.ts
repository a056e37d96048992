import { expect, test } from "vitest";
import { bootstrapOrg } from "../../../broker/orgs/bootstrap-org.ts";
import { startBroker } from "../../support/broker/broker.ts";
import { testDatabase } from "../../support/database/database.ts";
import { beat, givenOrg, givenProcess, givenRunner } from "../../support/rows/given.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url });

const yearly = { name: "tick", mode: "cron", cron_schedule: "0 0 1 1 *", signal_type: "sync" };

async function setup() {
  const { orgId, adminToken: token } = await bootstrapOrg(db, "Acme");
  let keys = 0;
  /** Asks twice with one key; the first time its broker is killed between the work and the note of its answer. */
  async function twice(what: string, body: object) {
    const headers = { "idempotency-key": `key-${++keys}` };
    const post = () => call<{ id: string }>(what, { token, body, headers });
    const first = await post();
    await db`
      update idempotency_keys set status = null, body = null, locked_at = svc_now() - interval '2 minutes'
       where org_id = ${orgId} and key = ${headers["idempotency-key"]}`;
    const again = await post();
    expect({ what, statuses: [first.status, again.status] }).toEqual({
      what,
      statuses: [201, 201],
    });
    expect({ what, id: again.body.id }).toEqual({ what, id: first.body.id });
    return first.body.id;
  }
  const post = (what: string, body: object) => call<{ id: string }>(what, { token, body });
  return { orgId, token, twice, post };
}

test("what is created again, as its broker was killed before it answered, is there once", async () => {
  const { orgId, twice, post } = await setup();
  const stranger = await givenOrg(db);
  const [invited] = await db<{ id: string }[]>`
    insert into accounts (id, account_type, name, created_by_id) values ('acc_stranger', 'service', 'S', ${stranger}) returning id`;
  const queue = await twice("POST /v1/queues", { name: "jobs" });
  await twice(`POST /v1/queues/${queue}/emitters`, yearly);
  const group = await twice("POST /v1/runner-groups", { type: "org", platform: "aws" });
  await twice("POST /v1/runners", { runner_group_id: group, name: "one" });
  await twice("POST /v1/orgs/current/webhooks", { webhook_url: "https://hooks.example.com/" });
  await twice("POST /v1/accounts", {
    account_type: "service",
    name: "robot",
    roles: ["org_read_only"],
  });
  const policies = [{ name: "some", permissions: ["apps.read"] }];
  await twice("POST /v1/roles", { role_type: "org_read_only", title: "Some", policies });
  await twice("POST /v1/orgs/current/invites", {
    account_id: invited?.id,
    roles: ["org_read_only"],
  });
  const owner = { owner_id: "web", owner_type: "components" };
  const workspace = await twice("POST /v1/terraform-workspaces", owner);
  const chart = await twice("POST /v1/helm-charts", owner);
  expect([workspace, chart].map((id) => id.slice(0, 3))).toEqual(["tfw", "hch"]);
  await twice("POST /v1/log-streams", owner);
  await post(`POST /v1/apps`, { name: "shop" });
  const [app] = await db<{ id: string }[]>`select id from apps where org_id = ${orgId}`;
  await twice(`POST /v1/apps/${app?.id ?? ""}/configs`, {});
  const [counts] = await db<Record<string, number>[]>`
    select (select count(*)::int from runner_groups where org_id = ${orgId}) as groups,
           (select count(*)::int from accounts where name = 'robot') as accounts,
           (select count(*)::int from roles where org_id = ${orgId}) as roles,
           (select count(*)::int from terraform_workspaces where org_id = ${orgId}) as workspaces,
           (select count(*)::int from helm_charts where org_id = ${orgId}) as charts,
           (select count(*)::int from app_configs where org_id = ${orgId}) as configs`;
  expect(counts).toEqual({
    groups: 1,
    accounts: 1,
    roles: 1,
    workspaces: 1,
    charts: 1,
    configs: 1,
  });
});

test("an org that is created again is there once", async () => {
  const { twice } = await setup();
  await twice("POST /v1/orgs", { name: "another" });
  const rows = await db`select from orgs where name = 'another'`;
  expect(rows).toHaveLength(1);
});

test("an emitter that is fired again, as its broker was killed before it answered, emits once", async () => {
  const { orgId, twice, post } = await setup();
  const { body: queue } = await post("POST /v1/queues", { name: "jobs" });
  const { body: emitter } = await post(`POST /v1/queues/${queue.id}/emitters`, yearly);
  await twice(`POST /v1/emitters/${emitter.id}/fire`, {});
  const [signals] = await db<{ n: number }[]>`
    select count(*)::int as n from queue_signals where org_id = ${orgId}`;
  expect(signals?.n).toBe(1);
});

test("a rollout that is ordered again is the one that is under way", async () => {
  const { orgId, twice } = await setup();
  const runner = await givenRunner(db, { orgId });
  await beat(db, [await givenProcess(db, runner)], []);
  await twice("POST /v1/runner-rollouts", {
    whole_org: true,
    type: "graceful",
    reason: "x",
    include_last: true,
  });
});
