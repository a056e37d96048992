import { describe, expect, test } from "vitest";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { givenToken } from "../../support/rows/given-token.ts";
import { toApp, toInstall } from "../../support/tokens/given-bound-tokens.ts";

const { call, setup: setupApps, db } = await givenAppsApi();
type Thing = Refused & { id: string; name: string };

/** An org with the app `shop`, what it can have, and the install `acme-eu`. */
async function setup() {
  const { orgId, app, sync, create } = await setupApps();
  const token = await givenToken(db, { orgId, role: "org_admin" });
  await sync(documentOf("shop"));
  const ask = <Body = Thing>(what: string, body?: object, headers: Record<string, string> = {}) =>
    call<Body>(what, { token, headers, ...(body !== undefined && { body }) });
  const make = async (path: string, name: string, body: object = {}) =>
    (await ask(`POST /v1/apps${path}`, { name, ...body })).body.id;
  const ids = {
    app: app.id,
    install: await make(`/${app.id}/installs`, "acme-eu", { start: false }),
    component: await make(`/${app.id}/components`, "web-front"),
    action: await make(`/${app.id}/actions`, "do-it"),
    runbook: await make(`/${app.id}/runbooks`, "on-call"),
  };
  return { orgId, ask, make, create, ids };
}
const { orgId, ask, make, ids } = await setup();

describe("a name stands where an id does", () => {
  test.each([
    ["/v1/apps/shop", `/v1/apps/${ids.app}`],
    ["/v1/apps/shop/installs", `/v1/apps/${ids.app}/installs`],
    ["/v1/apps/shop/latest-metadata-config", `/v1/apps/${ids.app}/latest-metadata-config`],
    ["/v1/installs/acme-eu", `/v1/installs/${ids.install}`],
    ["/v1/installs/acme_eu/workflows", `/v1/installs/${ids.install}/workflows`],
    ["/v1/apps/shop/components/web_front", `/v1/apps/${ids.app}/components/${ids.component}`],
    [`/v1/apps/${ids.app}/actions/do_it`, `/v1/apps/${ids.app}/actions/${ids.action}`],
    [`/v1/apps/shop/actions/${ids.action}`, `/v1/apps/${ids.app}/actions/${ids.action}`],
    ["/v1/apps/_/actions/do-it", `/v1/apps/${ids.app}/actions/${ids.action}`],
    [`/v1/apps/_/runbooks/${ids.runbook}`, `/v1/apps/${ids.app}/runbooks/${ids.runbook}`],
    ["/v1/action-workflows/do_it", `/v1/apps/${ids.app}/actions/${ids.action}`],
    ["/v1/action-workflows/do-it/configs", `/v1/apps/${ids.app}/actions/${ids.action}/configs`],
    ["/v1/components/web_front", `/v1/apps/${ids.app}/components/${ids.component}`],
    [`/v1/components/${ids.component}`, `/v1/apps/${ids.app}/components/${ids.component}`],
    ["/v1/apps/shop/component/web-front", `/v1/apps/${ids.app}/components/${ids.component}`],
    ["/v1/installs/acme-eu/actions/do-it", `/v1/installs/${ids.install}/actions/${ids.action}`],
    [
      `/v1/installs/${ids.install}/actions/do-it`,
      `/v1/installs/${ids.install}/actions/${ids.action}`,
    ],
  ])("%s", async (named, byId) => {
    const [one, other] = [await ask(`GET ${named}`), await ask(`GET ${byId}`)];
    expect(other.status === 200 || byId.includes("/installs/ins_")).toBe(true);
    const instance: unknown = expect.anything();
    const { body } = other;
    expect(one.status).toBe(other.status);
    expect(one.body).toEqual("instance" in body ? { ...body, instance } : body);
  });

  test("in changes, whose record in the audit log has the id, and under one key", async () => {
    const headers = { "idempotency-key": "named" };
    const body = { labels: { tier: "gold" } };
    const first = await ask("POST /v1/installs/acme_eu/labels", body, headers);
    const again = await ask(`POST /v1/installs/${ids.install}/labels`, body, headers);
    expect([first.status, again.body]).toEqual([200, first.body]);
    const at = { "idempotency-key": "aliased" };
    const labels = await ask("POST /v1/action-workflows/do-it/labels", body);
    expect(labels.body.id).toBe(ids.action);
    const secret = { name: "key", value: "a" };
    const told = await ask("POST /v1/apps/shop/secret", secret, at);
    const repeated = await ask(`POST /v1/apps/${ids.app}/secrets`, secret, at);
    expect([told.status, repeated.body]).toEqual([201, { ...told.body, replaced: false }]);
    const changed = await ask("PATCH /v1/apps/shop", { display_name: "The shop" });
    expect(changed).toMatchObject({ status: 200, body: { id: ids.app } });
    const rows = await db<{ target_id: string }[]>`
      select target_id from audit_events where org_id = ${orgId} and action in ('updateApp', 'mergeInstallLabels', 'mergeActionLabels')`;
    const audited = new Set([ids.app, ids.install, ids.action]);
    expect(new Set(rows.map(({ target_id: id }) => id))).toEqual(audited);
  });

  test("and a link to the next page has the id", async () => {
    await make("/shop/actions", "other");
    const { headers } = await ask("GET /v1/apps/shop/actions?cursor=&limit=1");
    expect(headers.get("link")).toContain(`/v1/apps/${ids.app}/actions?cursor=`);
  });
});

describe("a name that is not of one thing", () => {
  test.each([
    ["GET /v1/apps/none", "There is no app"],
    ["GET /v1/apps/_", "There is no app"],
    ["GET /v1/apps/_/actions", "There is no app"],
    ["GET /v1/components/none", "There is no app"],
    [`GET /v1/action-workflows/${ids.component}`, "There is no app"],
    ["GET /v1/apps/shop/actions/none", "There is no action"],
    ["GET /v1/apps/none/actions/do-it", "There is no app"],
    ["GET /v1/installs/a%00b", "There is no install"],
    ["GET /v1/apps/a%00b/actions/do-it", "There is no app"],
    ["GET /v1/apps/_/actions/a%00b", "There is no action"],
    ["GET /v1/installs/a%00b/actions/do-it", "There is no install"],
    [`GET /v1/installs/${"n".repeat(300)}`, "There is no install"],
    ["GET /v1/installs/%27%25_%22", "There is no install"],
    [`GET /v1/installs/${ids.app}`, "There is no install"],
  ])("%s is 404", async (what, why) => {
    expect(await ask(what)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining(why) as string },
    });
  });

  test("is ambiguous in two apps, and is told apart by the app or the id", async () => {
    const second = await make("", "second");
    expect(second).toMatch(/^app_/);
    await make("/second/actions", "do-it");
    expect(await ask("GET /v1/apps/_/actions/do-it")).toMatchObject({
      status: 409,
      body: { code: "ambiguous_name" },
    });
    expect((await ask("GET /v1/apps/second/actions/do-it")).status).toBe(200);
    expect((await ask("GET /v1/apps/shop/actions/do-it")).body.id).toBe(ids.action);
  });

  test("is another org's, and nothing is told of it", async () => {
    const { ask: theirs } = await setup();
    await make("/shop/actions", "ours-alone");
    expect((await theirs("GET /v1/apps/shop/actions/ours-alone")).status).toBe(404);
    expect((await theirs("GET /v1/apps/_/actions/ours-alone")).status).toBe(404);
    expect((await theirs("GET /v1/apps/shop")).body.id).not.toBe(ids.app);
  });

  test("was deleted, and is free for another", async () => {
    const { ask: asking, make: making } = await setup();
    const first = await making("", "gone");
    await asking("DELETE /v1/apps/gone");
    expect((await asking("GET /v1/apps/gone")).status).toBe(404);
    const next = await making("", "gone");
    expect((await asking("GET /v1/apps/gone")).body.id).toBe(next);
    expect(next).not.toBe(first);
    await making("/gone/actions", "left");
    await making(`/${next}/components`, "left");
    await asking("DELETE /v1/apps/gone");
    expect((await asking("GET /v1/apps/_/actions/left")).status).toBe(404);
    const kept = await making("/shop/actions", "left");
    expect((await asking("GET /v1/apps/_/actions/left")).body.id).toBe(kept);
  });
});

test("the exact name is meant where an app has two that differ by - and _ alone", async () => {
  const { ask: asking, make: making, ids: own } = await setup();
  const other = await making(`/${own.app}/installs`, "acme_eu", { start: false });
  expect((await asking("GET /v1/installs/acme-eu")).body.id).toBe(own.install);
  expect((await asking("GET /v1/installs/acme_eu")).body.id).toBe(other);
});

test("a bound token reaches by name what it reaches by id, and learns of nothing else", async () => {
  const { ask: asking, make: making, ids: own } = await setup();
  const second = await making("", "second");
  const sync = { "metadata.toml": { name: "second" } };
  await asking(`POST /v1/apps/${second}/configs/sync`, { ...documentOf("second"), ...sync });
  const same = await making("/second/installs", "acme-eu", { start: false });
  expect(await asking("GET /v1/installs/acme-eu")).toMatchObject({ status: 409 });
  const tokenTo = async (bound: object) => {
    const wanted = { name: "b", kind: "it", role: "installer", ...bound };
    const { body } = await asking<{ secret: string }>("POST /v1/tokens", wanted);
    return (what: string) => call<Thing>(what, { token: body.secret });
  };
  const ofApp = await tokenTo(toApp(own.app));
  expect((await ofApp("GET /v1/installs/acme-eu")).body.id).toBe(own.install);
  expect((await ofApp("GET /v1/apps/shop")).body.id).toBe(own.app);
  expect((await ofApp("GET /v1/apps/second")).status).toBe(404);
  expect((await ofApp("GET /v1/apps/second/actions/none")).status).toBe(404);
  expect((await ofApp("GET /v1/installs/a%00b")).status).toBe(404);
  const ofInstall = await tokenTo(toInstall(same));
  expect((await ofInstall("GET /v1/installs/acme-eu")).body.id).toBe(same);
});

test.each([
  ["POST /v1/apps", "label-keys"],
  ["POST /v1/apps", "app_01k9zq5v3t8w2x4y6z8a0b2c4d"],
  ["POST /v1/apps/shop/installs", "sandbox-runs"],
  ["PATCH /v1/installs/acme-eu", "health"],
  ["POST /v1/apps/shop/actions", "latest_runs"],
  ["POST /v1/apps/shop/components", "build-all"],
  ["PATCH /v1/apps/shop/actions/do-it", "runs"],
  ["POST /v1/apps/shop/runbooks", "rbk_01k9zq5v3t8w2x4y6z8a0b2c4d"],
])("%s refuses the name %s", async (what, name) => {
  expect(await ask(what, { name })).toMatchObject({
    status: 422,
    body: { errors: [{ pointer: "#/name", code: "reserved_name" }] },
  });
});

test("what has a reserved name from a config keeps it", async () => {
  await db`update actions set name = 'latest-runs' where org_id = ${orgId} and id = ${ids.action}`;
  const again = await ask("POST /v1/apps/shop/actions", { name: "latest-runs" });
  expect([again.status, again.body.id]).toEqual([201, ids.action]);
  const path = `PATCH /v1/apps/shop/actions/${ids.action}`;
  expect((await ask(path, { name: "latest-runs" })).status).toBe(201);
  expect((await ask(path, { name: "runs" })).status).toBe(422);
});
