import { expect, test } from "vitest";
import { bootstrapAdmin, bootstrapOrg } from "../../../../broker/orgs/bootstrap-org.ts";
import type { Account } from "../../../../shared/api/account.ts";
import { startBroker } from "../../../support/broker/broker.ts";
import { testDatabase } from "../../../support/database/database.ts";
import { givenToken } from "../../../support/rows/given-token.ts";

const { db, url } = await testDatabase();
const { call } = await startBroker({ url, env: { SVC_RATE_TOKEN_PER_S: "0" } });
const path = "/v1/account/user-journeys";
const start = {
  name: "start",
  title: "Start",
  steps: [
    { name: "org", title: "Make an org" },
    { name: "app", title: "Make an app" },
  ],
};

test("a journey is an account's own: steps are completed, told more of, and begun again", async () => {
  const { orgId, adminToken: token } = await bootstrapOrg(db, "Acme");
  const ask = <Body = Account & { code: string }>(what: string, body?: object) =>
    call<Body>(what, { token, ...(body !== undefined && { body }) });
  const steps = async () => (await ask(`GET /v1/account`)).body.user_journeys[0]?.steps;

  expect((await ask(`POST ${path}`, start)).status).toBe(201);
  const again = await ask(`POST ${path}`, start);
  expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(await ask(`POST ${path}`, { ...start, title: "Other" })).toMatchObject({
    status: 409,
    body: { code: "name_taken" },
  });

  const change = { complete: true, metadata: { from: "cli" } };
  const { body } = await ask(`PATCH ${path}/start/steps/org`, change);
  const done = {
    name: "org",
    complete: true,
    completed_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as unknown,
    completion_method: "manual",
    completion_source: "api",
  };
  const [org] = body.user_journeys[0]?.steps ?? [];
  expect(body.user_journeys).toMatchObject([
    {
      name: "start",
      title: "Start",
      steps: [done, { name: "app", complete: false, metadata: {} }],
    },
  ]);
  await ask(`PATCH ${path}/start/steps/org`, { metadata: { by: "ann" } });
  expect((await ask(`POST ${path}/start/complete`)).status).toBe(200);
  expect(await steps()).toEqual([
    { ...org, metadata: { from: "cli", by: "ann" } },
    expect.objectContaining({ name: "app", complete: true }),
  ]);
  expect((await ask(`POST ${path}/start/reset`)).status).toBe(200);
  expect(await steps()).toEqual([
    { ...start.steps[0], complete: false, metadata: { from: "cli", by: "ann" } },
    { ...start.steps[1], complete: false, metadata: {} },
  ]);

  for (const what of [`POST ${path}/none/complete`, `PATCH ${path}/start/steps/none`])
    expect((await ask(what, {})).status).toBe(404);
  const other = (await bootstrapOrg(db, "Other")).adminToken;
  expect((await call(`GET ${path}`, { token: other })).body).toEqual([]);
  const machine = await givenToken(db, { orgId, role: "org_admin" });
  expect(await call(`GET ${path}`, { token: machine })).toMatchObject({
    status: 403,
    body: { code: "no_account" },
  });
});

test("an account has sixteen journeys and waits for fifty orgs at most, however many come at once", async () => {
  const { adminToken: token } = await bootstrapOrg(db, "Acme");
  const join = (name: string) =>
    call("POST /v1/general/waitlist", { token, body: { org_name: name } });
  const first = await join("Acme Two");
  expect(first).toMatchObject({ status: 200, body: { org_name: "Acme Two" } });
  await db`
    insert into account_records (id, account_id, kind, name, contents, created_at, updated_at)
    select 'acr_' || kind || n, ${first.body["created_by_id"] as string}, kind, 'n' || n, '{"title": "T", "steps": []}', svc_now(), svc_now()
      from generate_series(1, 48) n cross join (values ('journey'), ('waitlist')) k (kind)
     where kind = 'waitlist' or n < 16`;
  const ten = Array.from({ length: 10 }, (_, nth) => `Acme ${nth}`);
  const joined = await Promise.all(ten.map(join));
  expect(joined.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await join("Acme Two")).body).toEqual(first.body);
  expect(await join("Acme Three")).toMatchObject({ status: 409, body: { code: "too_many_waits" } });

  const begin = (name: string) => call(`POST ${path}`, { token, body: { ...start, name } });
  const begun = await Promise.all(ten.map(() => begin("start")));
  expect(begun.map(({ status }) => status)).toEqual(ten.map(() => 201));
  expect(begun.filter(({ headers }) => !headers.has("idempotent-replayed"))).toHaveLength(1);
  expect(await begin("other")).toMatchObject({ status: 409, body: { code: "too_many_journeys" } });
});

test("a journey's metadata has an end, and the journey is completed all the same", async () => {
  const { adminToken: token } = await bootstrapOrg(db, "Acme");
  await call(`POST ${path}`, { token, body: { ...start, name: "full" } });
  const pad = { pad: "x".repeat(65_000) };
  await db`
    update account_records set contents = jsonb_set(contents, '{steps,0,metadata}', ${JSON.stringify(pad)}::text::jsonb) where name = 'full'`;
  const tell = (text: string) =>
    call(`PATCH ${path}/full/steps/app`, { token, body: { metadata: { text } } });
  expect(await tell("y".repeat(1000))).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "#/metadata", code: "too_large" }] },
  });
  expect((await tell("y")).status).toBe(200);
  expect((await call(`POST ${path}/full/complete`, { token })).status).toBe(200);
});

test("an idempotency key of one person tells nobody else of the account", async () => {
  const { orgId, adminToken } = await bootstrapOrg(db, "Acme");
  const { secret } = await bootstrapAdmin(db, orgId);
  const ids: string[] = [];
  for (const token of [adminToken, secret]) {
    const headers = { "idempotency-key": "start" };
    ids.push((await call<Account>(`POST ${path}`, { token, body: start, headers })).body.id);
  }
  expect(new Set(ids).size).toBe(2);
});
