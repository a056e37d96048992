import { describe, expect, test } from "vitest";
import type { App } from "../../../shared/api/app.ts";
import { givenAppsApi } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { givenToken } from "../../support/rows/given-token.ts";

const { call, setup, db } = await givenAppsApi();

describe("an app", () => {
  test("is created once by its name, where - and _ are equal", async () => {
    const { create, token } = await setup();
    const made = await create({ name: "my-app", display_name: "Mine" });
    expect(made).toMatchObject({ status: 201, body: { name: "my-app", config_count: 0 } });
    const again = await create({ name: "my-app", display_name: "Mine" });
    expect(again).toMatchObject({ status: 201, body: { id: made.body.id } });
    expect([made, again].map(({ headers }) => headers.get("idempotent-replayed"))).toEqual([
      null,
      "true",
    ]);
    for (const other of [{ name: "my_app", display_name: "Mine" }, { name: "my-app" }])
      expect(await create(other)).toMatchObject({ status: 409, body: { code: "name_taken" } });
    expect(await call(`DELETE /v1/apps/${made.body.id}`, { token })).toMatchObject({
      status: 200,
      body: { id: made.body.id, name: "my-app" },
    });
    expect((await create({ name: "my_app" })).status).toBe(201);
    expect((await call(`GET /v1/apps/${made.body.id}`, { token })).status).toBe(404);
  });

  test("is created once by an Idempotency-Key, and by many at once", async () => {
    const { create } = await setup();
    const headers = { "idempotency-key": "one" };
    const first = await create({ name: "keyed" }, headers);
    const again = await create({ name: "keyed" }, headers);
    expect([first.status, again.status, again.body.id]).toEqual([201, 201, first.body.id]);
    const all = await Promise.all(Array.from({ length: 10 }, () => create({ name: "raced" })));
    const isThere = ({ headers }: (typeof all)[number]) => headers.has("idempotent-replayed");
    expect(all.filter(isThere)).toHaveLength(9);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1);
  });

  test("is changed only by who has seen its version", async () => {
    const { token, at, create } = await setup();
    const seen = await call<App>(`GET ${at}`, { token });
    const etag = seen.headers.get("etag") ?? "";
    const change = (body: object) =>
      call<App>(`PATCH ${at}`, { token, body, headers: { "if-match": etag } });
    expect(await change({ config_repo: "acme/shop" })).toMatchObject({
      status: 200,
      body: { config_repo: "acme/shop", name: "shop" },
    });
    expect((await change({ description: "x" })).status).toBe(412);
    await create({ name: "other" });
    expect(await call(`PATCH ${at}`, { token, body: { name: "other" } })).toMatchObject({
      status: 409,
    });
    expect(await call(`PATCH ${at}`, { token, body: { name: "Other" } })).toMatchObject({
      status: 422,
    });
  });

  test("is not deleted while it has installs", async () => {
    const { app, at, token, sync, orgId } = await setup();
    await sync(documentOf("shop"));
    const admin = await givenToken(db, { orgId, role: "org_admin" });
    const body = { name: "acme", start: false };
    const made = await call<{ id: string }>(`POST ${at}/installs`, { token: admin, body });
    expect(made.status).toBe(201);
    expect(await call(`DELETE ${at}`, { token })).toMatchObject({
      status: 409,
      body: { code: "app_has_installs", install_ids: [made.body.id] },
    });
    await call(`DELETE /v1/installs/${made.body.id}`, { token: admin });
    expect((await call(`DELETE ${at}`, { token })).status).toBe(200);
    expect((await call(`GET /v1/apps/${app.id}`, { token })).status).toBe(404);
  });

  test("is listed, newest first, by name, by a part of it, in pages, and in its own org alone", async () => {
    const { create, token } = await setup();
    await create({ name: "b-two", display_name: "Second" });
    const names = async (query: string) =>
      (await call<App[]>(`GET /v1/apps${query}`, { token })).body.map(({ name }) => name);
    expect(await names("")).toEqual(["b-two", "shop"]);
    expect(await names("?name=b_two")).toEqual(["b-two"]);
    expect(await names("?q=SEC")).toEqual(["b-two"]);
    expect(await names("?limit=1&offset=1")).toEqual(["shop"]);
    const page = await call<{ items: App[]; next_cursor: string }>("GET /v1/apps?cursor=&limit=1", {
      token,
    });
    const next = await call<{ items: App[] }>(
      `GET /v1/apps?limit=1&cursor=${page.body.next_cursor}`,
      { token },
    );
    expect([...page.body.items, ...next.body.items].map(({ name }) => name)).toEqual([
      "b-two",
      "shop",
    ]);
    const others = await setup();
    expect((await call<App[]>("GET /v1/apps", { token: others.token })).body).toHaveLength(1);
  });
});
