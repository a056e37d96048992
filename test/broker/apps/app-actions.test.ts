import { describe, expect, test } from "vitest";
import type { ShownAction } from "../../../shared/api/actions.ts";
import type { WholeActionConfig } from "../../../shared/api/app-actions.ts";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { call, setup: setupApps, db } = await givenAppsApi();
type Action = ShownAction & Refused & { app_config_ids?: string[]; install_ids?: string[] };

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const api = <Body = Action>(what: string, body?: object) => {
    const [method, path] = what.split(" ");
    return call<Body>(`${method} ${at}${path}`, { token, ...(body !== undefined && { body }) });
  };
  const greet = (labels: object = {}, name = "greet") => ({
    "metadata.toml": { name: "shop" },
    actions: { "a.toml": { name, labels, steps: [{ name: "s", command: "true" }] } },
  });
  const only = async () => (await api<Action[]>("GET /actions")).body[0]?.id ?? "";
  return { token, at, api, greet, only, ...rest };
}

describe("an action of an app", () => {
  test("is listed by its name, a part of it and its labels, also by the older word", async () => {
    const { api, sync, greet, only } = await setup();
    await sync(greet({ team: "web", tier: "1" }));
    await api("POST /actions", { name: "other" });
    const names = async (query: string) =>
      (await api<Action[]>(`GET /action-workflows${query}`)).body.map(({ name }) => name);
    expect(await names("")).toEqual(["other", "greet"]);
    expect(await names("?name=greet")).toEqual(["greet"]);
    expect(await names("?q=THE")).toEqual(["other"]);
    expect(await names("?labels=team:web,tier")).toEqual(["greet"]);
    expect(await names("?labels=team:api")).toEqual([]);
    const { body } = await api("GET /action-workflows?name=greet&cursor=");
    expect(body).toMatchObject({
      items: [{ labels: { team: "web", tier: "1" }, config_count: 1 }],
    });
    expect((await api(`GET /action-workflows/${await only()}`)).status).toBe(200);
    const keys = await api("GET /actions/label-keys");
    expect(keys.body).toEqual({ team: ["web"], tier: ["1"] });
    expect((await api(`PUT /action-workflows/${await only()}`)).status).toBe(405);
  });

  test("has labels of its own beside those of the config, which are locked", async () => {
    const { api, sync, greet, only } = await setup();
    await sync(greet({ team: "web" }));
    const at = `/actions/${await only()}`;
    const merged = await api(`POST ${at}/labels`, { labels: { a: "1", b: "2" } });
    expect([merged.status, merged.body.labels]).toEqual([200, { team: "web", a: "1", b: "2" }]);
    const removed = await api(`DELETE ${at}/labels`, { keys: ["a", "gone"] });
    expect([removed.status, removed.body.labels]).toEqual([200, { team: "web", b: "2" }]);
    const locked = { status: 422, body: { errors: [{ code: "label_locked" }] } };
    expect(await api(`POST ${at}/labels`, { labels: { c: "1", team: "x" } })).toMatchObject(locked);
    expect(await api(`DELETE ${at}/labels`, { keys: ["b", "team"] })).toMatchObject(locked);
    expect(await api(`PATCH ${at}`, { labels: { team: "x" } })).toMatchObject(locked);
    expect((await api(`GET ${at}`)).body.labels).toEqual({ team: "web", b: "2" });
    const whole = await api(`PATCH ${at}`, { labels: { d: "4" } });
    expect(whole.body.labels).toEqual({ team: "web", d: "4" });
    await sync(greet({ zone: "eu", d: "5" }));
    expect((await api(`GET ${at}`)).body.labels).toEqual({ zone: "eu", d: "5" });
    const many = Object.fromEntries(Array.from({ length: 63 }, (_, at) => [`k${at}`, ""]));
    expect(await api(`POST ${at}/labels`, { labels: many })).toMatchObject({
      status: 409,
      body: { code: "too_many_labels" },
    });
  });

  test("has a config for each config of the app that had it", async () => {
    const { api, sync, greet, only, token } = await setup();
    await sync(greet());
    await sync(greet({ team: "web" }));
    const at = `/action-workflows/${await only()}`;
    const listed = await api<WholeActionConfig[]>(`GET ${at}/configs`);
    expect(listed.body).toMatchObject([
      { app_config_version: 2, status: "active" },
      { app_config_version: 1, status: "outdated" },
    ]);
    const [latest, first] = listed.body;
    const shown = await api<WholeActionConfig>(`GET ${at}/latest-config`);
    const steps = [{ name: "s", command: "true" }];
    expect(shown.body).toMatchObject({ ...latest, labels: { team: "web" }, steps });
    const former = await api<WholeActionConfig>(`GET ${at}/configs/${first?.id}`);
    expect(former.body).toMatchObject({ id: first?.id, steps, kubernetes_context_name: "" });
    expect(former.body["labels"]).toEqual({});
    expect((await api(`GET /actions/configs/${first?.id}`)).body).toEqual(former.body);
    const other = await call<{ id: string }>("POST /v1/apps", { token, body: { name: "other" } });
    const elsewhere = `GET /v1/apps/${other.body.id}/actions/configs/${first?.id}`;
    expect((await call(elsewhere, { token })).status).toBe(404);
    await sync({ "metadata.toml": { name: "shop" } });
    expect(await api(`GET ${at}/latest-config`)).toMatchObject({
      status: 404,
      body: { code: "action_config_not_found" },
    });
    expect((await api(`GET ${at}/configs/awc_${"0".repeat(26)}`)).status).toBe(404);
  });

  test("is renamed and deleted only while no config in force has it", async () => {
    const { api, sync, greet, only, orgId, app } = await setup();
    const { body: config } = await sync(greet());
    const at = `/actions/${await only()}`;
    const inUse = { status: 409, body: { code: "action_in_use", app_config_ids: [config.id] } };
    expect(await api(`DELETE ${at}`)).toMatchObject(inUse);
    expect(await api(`PATCH ${at}`, { name: "hello", labels: { a: "1" } })).toMatchObject(inUse);
    expect((await api(`GET ${at}`)).body).toMatchObject({ name: "greet", labels: {} });
    expect((await api(`PATCH ${at}`, { name: "greet" })).status).toBe(201);
    const admin = await givenToken(db, { orgId, role: "org_admin" });
    const install = await call<{ id: string }>(`POST /v1/apps/${app.id}/installs`, {
      token: admin,
      body: { name: "acme", start: false },
    });
    await db`update installs set applied_config_id = ${config.id} where id = ${install.body.id}`;
    await sync(greet({}, "another"));
    expect(await api(`DELETE ${at}`)).toMatchObject({
      status: 409,
      body: { app_config_ids: [], install_ids: [install.body.id] },
    });
    await call(`DELETE /v1/installs/${install.body.id}`, { token: admin });
    expect(await api(`PATCH ${at}`, { name: "another" })).toMatchObject({
      status: 409,
      body: { code: "name_taken" },
    });
    expect((await api(`PATCH ${at}`, { name: "hello" })).body).toMatchObject({ name: "hello" });
    expect(await api(`DELETE ${at}`)).toMatchObject({ status: 200, body: { name: "hello" } });
    for (const method of ["GET", "DELETE"]) expect((await api(`${method} ${at}`)).status).toBe(404);
    const again = await api("POST /actions", { name: "hello" });
    expect(again.status).toBe(201);
    expect(again.body.id).not.toBe(at.split("/")[2]);
  });
});
