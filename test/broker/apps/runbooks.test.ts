import { expect, test } from "vitest";
import type { ShownRunbook } from "../../../shared/api/runbooks.ts";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";

const { call, setup: setupApps } = await givenAppsApi();
type Runbook = ShownRunbook & Refused;

const restart = (more: object = {}) => ({
  "metadata.toml": { name: "shop" },
  actions: { "greet.toml": { name: "greet", steps: [{ name: "s", command: "true" }] } },
  runbooks: {
    "restart.toml": {
      name: "restart",
      description: "Down and up.",
      labels: { area: "eu" },
      input: [{ name: "why", required: true }],
      steps: [
        { name: "own", type: "action", command: "true", timeout: "5m" },
        { name: "named", type: "action", action: "greet" },
      ],
      ...more,
    },
  },
});

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const api = <Body = Runbook>(what: string, body?: object) => {
    const [method, path] = what.split(" ");
    return call<Body>(`${method} ${at}${path}`, { token, ...(body !== undefined && { body }) });
  };
  return { at, api, ...rest };
}

test("a runbook says what its config says, and has labels of its own", async () => {
  const { api, sync } = await setup();
  await sync(restart());
  const at = "/runbooks/restart";
  expect((await api(`GET ${at}`)).body).toMatchObject({
    description: "Down and up.",
    labels: { area: "eu" },
    status: "active",
    config_count: 1,
  });
  const changed = await api(`PATCH ${at}`, { labels: { a: "1" }, description: "Down and up." });
  expect([changed.status, changed.body.labels]).toEqual([200, { area: "eu", a: "1" }]);
  expect(await api(`PATCH ${at}`, { labels: { area: "us" } })).toMatchObject({
    status: 422,
    body: { errors: [{ code: "label_locked", pointer: "#/labels" }] },
  });
  expect(await api(`PATCH ${at}`, { description: "Up.", labels: {} })).toMatchObject({
    status: 200,
    body: { description: "Up.", labels: { area: "eu" } },
  });
});

test("a runbook has a config for each of the app's that had it, with its inputs and steps", async () => {
  const { api, sync, at } = await setup();
  await sync(restart());
  await sync(restart({ readme: "# Again" }));
  const actions = await api<{ id: string }[]>("GET /actions");
  const { body } = await api<{ id: string; readme: string }[]>("GET /runbooks/restart/configs");
  expect(body).toMatchObject([
    { app_config_version: 2, readme: "# Again" },
    {
      app_config_version: 1,
      readme: "",
      inputs: [{ idx: 0, name: "why", type: "string", required: true, sensitive: false }],
      steps: [
        { idx: 0, name: "own", command: "true", timeout: 300_000_000_000 },
        { idx: 1, name: "named", action_workflow_id: actions.body[0]?.id },
      ],
    },
  ]);
  const next = await api<object[]>("GET /runbooks/restart/configs?limit=1&offset=1");
  expect(next.body).toEqual([body[1]]);
  const theirs = await setup();
  const id = (await api("GET /runbooks/restart")).body.id;
  expect((await theirs.api(`GET /runbooks/${id}/configs`)).status).toBe(404);
  const { token } = await setupApps();
  expect((await call(`GET ${at}/runbooks/${id}/configs`, { token })).status).toBe(404);
});

test("a runbook is renamed and deleted only while no config in force has it", async () => {
  const { api, sync } = await setup();
  const { body: config } = await sync(restart());
  const { id } = (await api("GET /runbooks/restart")).body;
  const inUse = { status: 409, body: { code: "runbook_in_use", app_config_ids: [config.id] } };
  expect(await api(`DELETE /runbooks/${id}`)).toMatchObject(inUse);
  expect(await api(`PATCH /runbooks/${id}`, { name: "other" })).toMatchObject(inUse);
  await sync({ "metadata.toml": { name: "shop" } });
  await api("POST /runbooks", { name: "taken" });
  expect(await api(`PATCH /runbooks/${id}`, { name: "taken" })).toMatchObject({
    status: 409,
    body: { code: "name_taken" },
  });
  expect((await api(`PATCH /runbooks/${id}`, { name: "other" })).body.name).toBe("other");
  expect(await api(`DELETE /runbooks/${id}`)).toMatchObject({ status: 200, body: true });
  for (const method of ["GET", "DELETE"])
    expect((await api(`${method} /runbooks/${id}`)).status).toBe(404);
});
