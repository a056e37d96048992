import { describe, expect, test } from "vitest";
import { appSecretThing } from "../../../broker/seals/reseal-app-secret.ts";
import type { AppSecret } from "../../../shared/api/app-secrets.ts";
import { givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { dumpOf, planted } from "../../support/broker/planted-secrets.ts";

type Told = AppSecret & Refused & { readonly replaced: boolean };

const { call, setup: setupApps, db, broker, logged } = await givenAppsApi();

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const set = (body: object, headers: Record<string, string> = {}) =>
    call<Told>(`POST ${at}/secrets`, { token, body, headers });
  const list = async (query = "") =>
    (await call<AppSecret[]>(`GET ${at}/secrets${query}`, { token })).body;
  return { token, at, set, list, ...rest };
}

/** The value as brokers will use it. */
async function opened(id: string): Promise<string> {
  const [row] = await db<
    { org_id: string; app_id: string; name: string; key_id: string; value: Buffer }[]
  >`select org_id, app_id, name, key_id, value from app_secrets where id = ${id}`;
  if (row === undefined) throw new Error("There is no such secret.");
  const thing = appSecretThing(row.org_id, row.app_id, row.name);
  return broker.seals.open(thing, { keyId: row.key_id, bytes: row.value }).toString("utf8");
}

describe("a secret of an app", () => {
  test("is set, replaced by its name, and listed without its value", async () => {
    const { set, list } = await setup();
    const first = await set({ name: "db-url", value: "one" });
    expect(first).toMatchObject({
      status: 201,
      body: { name: "db-url", length: 3, replaced: false },
    });
    const again = await set({ name: "db_url", value: "two!" });
    expect(again).toMatchObject({
      status: 201,
      body: { id: first.body.id, name: "db_url", length: 4, replaced: true },
    });
    expect(again.headers.get("idempotent-replayed")).toBe("true");
    expect(await opened(first.body.id)).toBe("two!");
    await set({ name: "other", value: "x" });
    const listed = await list();
    expect(listed.map(({ name }) => name)).toEqual(["other", "db_url"]);
    expect(Object.keys(listed[0] ?? {}).toSorted()).toEqual([
      "app_id",
      "created_at",
      "created_by_id",
      "id",
      "length",
      "name",
      "org_id",
      "updated_at",
    ]);
    expect(await list("?name=db-url")).toHaveLength(1);
    expect(await list("?limit=1&offset=1")).toMatchObject([{ name: "db_url" }]);
  });

  test("is nowhere readable: no dump, no log, no refusal, no answer shows its value", async () => {
    const { set, list, at, token } = await setup();
    const headers = { "idempotency-key": "secret" };
    const answers = [
      await set({ name: "planted", value: planted }, headers),
      await set({ name: "planted", value: planted }, headers),
      await set({ name: "Planted", value: planted }),
      await set({ name: "planted", value: planted, more: planted }),
      await set({ name: "planted", value: planted.repeat(5000) }),
      await call(`POST ${at}/secrets`, { token, body: `{"value": "${planted}` }),
      await list(),
    ];
    expect(answers.map((one) => ("status" in one ? one.status : 200))).toEqual([
      201, 201, 422, 422, 422, 400, 200,
    ]);
    const told = `${JSON.stringify(answers)}${logged.join("")}${await dumpOf({ db })}`;
    expect(told).not.toContain(planted);
  });

  test("is gone when it is deleted, and with its app", async () => {
    const { set, list, at, token } = await setup();
    const { id } = (await set({ name: "a", value: "x" })).body;
    await set({ name: "b", value: "y" });
    const remove = () => call<Refused>(`DELETE ${at}/secrets/${id}`, { token });
    expect(await remove()).toMatchObject({ status: 200, body: { id, name: "a" } });
    expect(await remove()).toMatchObject({ status: 404, body: { code: "app_secret_not_found" } });
    expect((await list()).map(({ name }) => name)).toEqual(["b"]);
    expect((await call(`DELETE ${at}`, { token })).status).toBe(200);
    const [left] = await db<{ count: number }[]>`
      select count(*)::int from app_secrets where app_id = ${at.split("/")[3] ?? ""}`;
    expect(left?.count).toBe(0);
    expect(await set({ name: "b", value: "y" })).toMatchObject({
      status: 404,
      body: { code: "app_not_found" },
    });
  });

  test("is set once by many at once, and 500 are the most of an app", async () => {
    const { set, list, at } = await setup();
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, nth) => set({ name: "raced", value: `${nth}` })),
    );
    expect(all.filter(({ body }) => !body.replaced)).toHaveLength(1);
    expect(await list()).toHaveLength(1);
    await db`
      insert into app_secrets (id, org_id, app_id, name, value, length, created_at, updated_at)
      select 'sec_' || lpad(n::text, 26, '0'), s.org_id, s.app_id, 'n' || n, '', 0, svc_now(), svc_now()
        from app_secrets s, generate_series(1, 499) n where s.app_id = ${at.split("/")[3] ?? ""}`;
    expect(await set({ name: "one-more", value: "x" })).toMatchObject({
      status: 409,
      body: { code: "too_many_secrets" },
    });
    expect((await set({ name: "raced", value: "x" })).status).toBe(201);
  });

  test("is nobody's by another app, nor by another org", async () => {
    const { set, create, token } = await setup();
    const { id } = (await set({ name: "a", value: "x" })).body;
    const other = (await create({ name: "other" })).body.id;
    const theirs = await setup();
    for (const [at, by] of [
      [`/v1/apps/${other}`, token],
      [theirs.at, theirs.token],
    ]) {
      expect((await call(`DELETE ${at}/secrets/${id}`, { token: by })).status).toBe(404);
      expect((await call(`GET ${at}/secrets`, { token: by })).body).toEqual([]);
    }
  });
});
