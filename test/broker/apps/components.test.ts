import { describe, expect, test } from "vitest";
import { createToken } from "../../../broker/tokens/create-token.ts";
import type { ShownComponent } from "../../../shared/api/components.ts";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { chain, shopWith, job } from "../../support/apps/component-documents.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { call, setup: setupApps, db } = await givenAppsApi();
type Component = ShownComponent & Refused;
type Connection = Refused & { id: string; app_config_version: number; version: number };

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const api = <Body = Component>(what: string, body?: object) => {
    const [method, path = ""] = what.split(" ");
    const where = path.startsWith("/v1/") ? path : `${at}${path}`;
    return call<Body>(`${method} ${where}`, { token, ...(body !== undefined && { body }) });
  };
  const idOf = async (name: string) =>
    (await api<Component[]>(`GET /components?name=${name}`)).body[0]?.id ?? "";
  const names = async (path: string) =>
    (await api<Component[]>(`GET ${path}`)).body.map(({ name }) => name);
  return { token, at, api, idOf, names, ...rest };
}

describe("components of an app", () => {
  test("are listed by labels, types and ids, and say what their config says", async () => {
    const { api, sync, names, idOf } = await setup();
    await sync(chain);
    await api("POST /components", { name: "spare" });
    expect(await names("/components?labels=team:web")).toEqual(["web"]);
    expect(await names("/components?labels=team")).toEqual(["web", "db"]);
    expect(await names("/components?types=external_image,unknown")).toEqual(["spare", "image"]);
    const ids = [await idOf("db"), await idOf("web")];
    expect(await names(`/components?component_ids=${ids.join(",")}`)).toEqual(["web", "db"]);
    const { body } = await api(`GET /components/${ids[1]}`);
    expect(body).toMatchObject({
      type: "job",
      status: "active",
      labels: { team: "web" },
      dependencies: [ids[0]],
      var_name: "front",
      resolved_var_name: "front",
      config_versions: 1,
    });
    expect((await api("GET /components/spare")).body).toMatchObject({
      type: "unknown",
      dependencies: [],
      resolved_var_name: "spare",
      config_versions: 0,
      config_id: null,
    });
    const refused = await api("GET /components?types=job,jib");
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ pointer: "?types.1" }] } });
    expect((await api("GET /components/label-keys")).body).toEqual({
      team: ["data", "web"],
      tier: ["1"],
    });
  });

  test("are those of all apps for the org, and of its own app for a bound token", async () => {
    const { api, sync, token, orgId, app } = await setup();
    await sync(chain);
    const other = (await call<{ id: string }>("POST /v1/apps", { token, body: { name: "other" } }))
      .body.id;
    await api(`POST /v1/apps/${other}/components`, { name: "far" });
    const listed = await api<Component[]>("GET /v1/components?limit=2");
    expect(listed.body.map(({ name }) => name)).toEqual(["far", "web"]);
    expect(listed.headers.get("x-svc-page-next")).toBe("true");
    const own = { name: "t", kind: "sa", role: "installer", createdById: "" } as const;
    const bound = { type: "apps", id: other } as const;
    const { secret } = await createToken(db, orgId, { ...own, bound });
    const seen = await call<Component[]>("GET /v1/components", { token: secret });
    expect(seen.body.map(({ name }) => name)).toEqual(["far"]);
    const at = `/v1/apps/${app.id}/components/web`;
    expect((await call(`GET ${at}`, { token: secret })).status).toBe(404);
  });

  test("need what they list and what their texts read, and tell who needs them", async () => {
    const { api, sync, names } = await setup();
    expect((await api("GET /components/web/dependencies")).status).toBe(404);
    await sync(chain);
    expect(await names("/components/chart/dependencies")).toEqual(["image", "web"]);
    const children = async (name: string) =>
      (await api<{ children: Component[] }>(`GET /v1/components/${name}/dependents`)).body.children;
    expect((await children("db")).map(({ name }) => name)).toEqual(["web"]);
    expect(await children("chart")).toEqual([]);
    await api("POST /components", { name: "spare" });
    expect(await names("/components/spare/dependencies")).toEqual([]);
  });
});

describe("a component", () => {
  test("has labels of its own beside those of the config, which are locked", async () => {
    const { api, sync, idOf } = await setup();
    await sync(chain);
    const at = `/components/${await idOf("web")}`;
    const merged = await api(`POST ${at}/labels`, { labels: { a: "1", b: "2" } });
    expect([merged.status, merged.body.labels]).toEqual([200, { team: "web", a: "1", b: "2" }]);
    const removed = await api(`DELETE ${at}/labels`, { keys: ["a", "gone"] });
    expect([removed.status, removed.body.labels]).toEqual([200, { team: "web", b: "2" }]);
    const locked = { status: 422, body: { errors: [{ code: "label_locked" }] } };
    expect(await api(`POST ${at}/labels`, { labels: { c: "1", team: "x" } })).toMatchObject(locked);
    expect(await api(`DELETE ${at}/labels`, { keys: ["b", "team"] })).toMatchObject(locked);
    expect(await api(`PATCH ${at}`, { labels: { team: "x" } })).toMatchObject(locked);
    const whole = await api(`PATCH ${at}`, { labels: { d: "4" } });
    expect([whole.status, whole.body.labels]).toEqual([200, { team: "web", d: "4" }]);
    expect(Date.parse(whole.body.updated_at)).toBeGreaterThan(Date.parse(whole.body.created_at));
    await sync(shopWith(job("web", { labels: { d: "5" } })));
    expect((await api(`GET ${at}`)).body.labels).toEqual({ d: "5" });
    const bad = await api(`POST ${at}/labels`, { labels: { "-x": "1" } });
    expect(bad).toMatchObject({ status: 422, body: { errors: [{ pointer: "#/labels/-x" }] } });
    const many = Object.fromEntries(Array.from({ length: 64 }, (_, nth) => [`k${nth}`, ""]));
    expect(await api(`POST ${at}/labels`, { labels: many })).toMatchObject({
      status: 409,
      body: { code: "too_many_labels" },
    });
  });

  test("of which own and given labels are too many loses one after the other, and gets none more", async () => {
    const { api, sync } = await setup();
    const { body } = await api("POST /components", { name: "web" });
    const at = `/components/${body.id}/labels`;
    const labels = (prefix: string, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, nth) => [`${prefix}${nth}`, "1"]));
    await api(`POST ${at}`, { labels: labels("own", 64) });
    await sync(shopWith(job("web", { labels: labels("given", 10) })));
    const removed = await api(`DELETE ${at}`, { keys: ["own0"] });
    expect([removed.status, Object.keys(removed.body.labels).length]).toEqual([200, 73]);
    expect((await api(`POST ${at}`, { labels: { own1: "2" } })).status).toBe(200);
    const more = { status: 409, body: { code: "too_many_labels" } };
    expect(await api(`POST ${at}`, { labels: { own0: "1" } })).toMatchObject(more);
  });

  test("keeps each label of many that are set at once", async () => {
    const { api } = await setup();
    const { body } = await api("POST /components", { name: "web" });
    const keys = Array.from({ length: 20 }, (_, nth) => `k${nth}`);
    await Promise.all(
      keys.map((key) => api(`POST /components/${body.id}/labels`, { labels: { [key]: "" } })),
    );
    const { labels } = (await api(`GET /components/${body.id}`)).body;
    expect(Object.keys(labels).toSorted()).toEqual(keys.toSorted());
  });

  test("says what was said of it last, until a config comes in force that has it", async () => {
    const { api, sync, idOf } = await setup();
    await sync(chain);
    const at = `/components/${await idOf("web")}`;
    const image = await idOf("image");
    const said = { name: "web", dependencies: ["image"], var_name: "back" };
    const seen = { dependencies: [image], var_name: "back", resolved_var_name: "back" };
    expect(await api(`PATCH ${at}`, said)).toMatchObject({ status: 200, body: seen });
    expect((await api(`PATCH ${at}`, { name: "web" })).body).toMatchObject(seen);
    const none = { name: "web", dependencies: [], var_name: "" };
    const configs = { dependencies: [await idOf("db")], var_name: "front" };
    expect((await api(`PATCH ${at}`, none)).body).toMatchObject(configs);
    await api(`PATCH ${at}`, said);
    const unknown = { name: "web", labels: { a: "1" }, dependencies: ["image", "nobody"] };
    expect(await api(`PATCH ${at}`, unknown)).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: "#/dependencies/1", code: "unknown_component" }] },
    });
    expect((await api(`GET ${at}`)).body.labels).toEqual({ team: "web" });
    await sync(chain);
    expect((await api(`GET ${at}`)).body).toMatchObject(configs);
  });

  test("is renamed and deleted only while no config in force has it", async () => {
    const { api, sync, idOf, orgId, app } = await setup();
    const { body: config } = await sync(chain);
    const at = `/components/${await idOf("web")}`;
    const inUse = { status: 409, body: { code: "component_in_use", app_config_ids: [config.id] } };
    expect(await api(`DELETE ${at}`)).toMatchObject(inUse);
    expect(await api(`PATCH ${at}`, { name: "site", labels: { a: "1" } })).toMatchObject(inUse);
    expect((await api(`GET ${at}`)).body).toMatchObject({ name: "web", labels: { team: "web" } });
    await sync(shopWith({}));
    const admin = await givenToken(db, { orgId, role: "org_admin" });
    const install = await call<{ id: string }>(`POST /v1/apps/${app.id}/installs`, {
      token: admin,
      body: { name: "acme", start: false },
    });
    await db`update installs set applied_config_id = ${config.id} where id = ${install.body.id}`;
    expect(await api(`DELETE ${at}`)).toMatchObject({
      status: 409,
      body: { app_config_ids: [], install_ids: [install.body.id] },
    });
    await call(`DELETE /v1/installs/${install.body.id}`, { token: admin });
    expect(await api(`PATCH ${at}`, { name: "image" })).toMatchObject({
      status: 409,
      body: { code: "name_taken" },
    });
    expect(await api(`PATCH ${at}`, { name: "label-keys" })).toMatchObject({
      status: 422,
      body: { errors: [{ code: "reserved_name" }] },
    });
    expect((await api(`PATCH ${at}`, { name: "site" })).body).toMatchObject({ name: "site" });
    const configs = await api<Connection[]>(`GET ${at}/configs`);
    expect(configs.body).toMatchObject([{ component_name: "web", job: { image_url: "busybox" } }]);
    const short = at.replace("/components", "/v1/components");
    expect(await api(`DELETE ${short}`)).toMatchObject({ status: 200, body: { name: "site" } });
    for (const method of ["GET", "DELETE"]) expect((await api(`${method} ${at}`)).status).toBe(404);
    expect((await api(`POST ${at}/labels`, { labels: { a: "1" } })).status).toBe(404);
    const again = await api("POST /components", { name: "site" });
    expect(again.body.id).not.toBe(at.split("/")[2]);
  });
});
