import { describe, expect, test } from "vitest";
import { endOldConfigs } from "../../../broker/retention/end-old-configs.ts";
import type { App } from "../../../shared/api/app.ts";
import { type Config, givenAppsApi, type Refused } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";
import { advanceClock } from "../../support/database/clock.ts";

const { call, setup: setupApps, db } = await givenAppsApi();

/** Which route takes which file, or which folder's. */
const routes: Record<string, string> = {
  "metadata.toml": "metadata-configs",
  "inputs.toml": "input-config",
  "sandbox.toml": "sandbox-configs",
  "runner.toml": "runner-configs",
  "stack.toml": "stack-configs",
  "permissions.toml": "permissions-configs",
  "break_glass.toml": "break-glass-configs",
  "operation_roles.toml": "operation-role-configs",
  "policies.toml": "policies-configs",
  "secrets.toml": "secrets-configs",
  "kubernetes_contexts.toml": "kubernetes-contexts-configs",
  "trigger_rules.toml": "trigger-rules-configs",
  components: "components",
  actions: "actions",
  runbooks: "runbooks",
};

async function setup() {
  const { token, at, ...rest } = await setupApps();
  const post = <Body = Config>(path: string, body: object) =>
    call<Body>(`POST ${at}/${path}`, { token, body });
  const begin = async (body: object = {}) => (await post("configs", body)).body.id;
  const patch = (id: string, body: object) =>
    call<Config>(`PATCH ${at}/configs/${id}`, { token, body });
  const add = (id: string, path: string, contents: object) =>
    post<Refused & { file: string }>(path, { ...contents, app_config_id: id });
  const addAll = async (id: string, document: Record<string, object>) => {
    for (const [file, contents] of Object.entries(document))
      for (const one of file.includes(".") ? [contents] : Object.values(contents))
        expect(await add(id, routes[file] ?? file, one as object)).toMatchObject({ status: 201 });
  };
  const greet = { name: "greet", steps: [{ name: "greet", command: "echo hello" }] };
  return { token, at, post, begin, patch, add, addAll, greet, ...rest };
}

/** What of it the calls of this file can bring. */
async function growableDocument(): Promise<Record<string, object>> {
  const document = await richDocument();
  const wholeOnly = ["branches", "installs", "installer.toml", "installs.toml"];
  for (const part of wholeOnly) Reflect.deleteProperty(document, part);
  return document;
}

describe("a config that comes in parts", () => {
  test("has the checksum that one sync of the same has, and becomes active as that would", async () => {
    const document = await growableDocument();
    const one = await setup();
    const synced = await one.sync(document);
    expect(synced.status).toBe(201);
    const { begin, addAll, patch, read } = await setup();
    const id = await begin({ cli_version: "1.2.3" });
    await addAll(id, document);
    const { status, body } = await patch(id, { status: "active" });
    expect([status, body]).toMatchObject([
      201,
      { id, version: 1, status: "active", cli_version: "1.2.3" },
    ]);
    expect(body.checksum).toBe(synced.body.checksum);
    const { config_count, active_config_id } = (await read<App>("")).body;
    expect([config_count, active_config_id]).toEqual([1, id]);
    const whole = await read<Config>(`/configs/${id}?recurse=true`);
    const other = await one.read<Config>(`/configs/${synced.body.id}?recurse=true`);
    expect(whole.body.document).toEqual(other.body.document);
  });

  test("is pending, then syncing, then active, and the former one outdated", async () => {
    const { begin, add, patch, read, sync, greet } = await setup();
    const former = await sync(documentOf("shop", "echo former"));
    const id = await begin({ readme: "# Hello" });
    const status = async (of: string) => (await read<Config>(`/configs/${of}`)).body;
    expect(await status(id)).toMatchObject({ version: 2, status: "pending", checksum: "" });
    expect((await read(`/configs/${id}/graph`)).body).toMatchObject({ code: "config_not_whole" });
    const added = await add(id, "actions", greet);
    expect(added.body).toMatchObject({ file: "actions/greet.toml", app_config_id: id });
    expect(await status(id)).toMatchObject({ status: "syncing" });
    expect((await read<Config>("/latest-config")).body.id).toBe(former.body.id);
    expect((await patch(id, { status: "active" })).body).toMatchObject({ status: "active" });
    expect(await status(former.body.id)).toMatchObject({ status: "outdated" });
    const { body } = await read<Config>("/latest-config?recurse=true");
    expect(body).toMatchObject({
      id,
      document: { metadata: { name: "shop", readme: "# Hello" }, actions: [greet] },
    });
    expect((await read(`/configs/${id}/diff`)).body).toMatchObject({
      config_id: id,
      old_config_id: former.body.id,
      summary: { added: 0, changed: 2, removed: 0, has_changed: true },
      changes: [{ name: "greet" }, { section: "metadata" }],
    });
  });

  test("changes no more once it is active", async () => {
    const { begin, add, patch, greet } = await setup();
    const id = await begin();
    await add(id, "actions", greet);
    await patch(id, { status: "active" });
    const sealed = { status: 409, body: { code: "config_sealed" } };
    expect(await add(id, "actions", greet)).toMatchObject(sealed);
    for (const status of ["active", "error"])
      expect(await patch(id, { status })).toMatchObject(sealed);
  });

  test("tells all that is wrong with the whole, is error then, and keeps what was wrong", async () => {
    const { begin, add, patch, read, greet } = await setup();
    const id = await begin();
    await add(id, "actions", { ...greet, steps: [] });
    await add(id, "runner-configs", { runner_type: "nowhere" });
    const { status, body } = await patch(id, { status: "active" });
    expect([status, body.code]).toEqual([422, "invalid"]);
    const files = ["actions/greet.toml", "runner.toml"];
    expect(body.errors?.map(({ file }) => file)).toEqual(files);
    const kept = await read<Config>(`/configs/${id}`);
    expect(kept.body).toMatchObject({
      status: "error",
      errors: body.errors,
      status_v2: { status: "error", metadata: { errors: body.errors } },
      readme: "",
      action_ids: [],
    });
    expect((await read("/latest-config")).status).toBe(404);
    const other = await begin();
    await add(other, "metadata-configs", { name: "another" });
    expect(await patch(other, { status: "active" })).toMatchObject({
      status: 422,
      body: { errors: [{ code: "other_app" }] },
    });
  });

  test("is never in force where it is only planned, or where its like is active", async () => {
    const { begin, add, patch, read, greet } = await setup();
    const [planned, first, again] = [
      await begin({ plan_only: true }),
      await begin(),
      await begin(),
    ];
    for (const id of [planned, first, again]) await add(id, "actions", greet);
    expect((await patch(planned, { status: "active" })).body).toMatchObject({ status: "outdated" });
    expect((await read("/latest-config")).status).toBe(404);
    expect((await patch(first, { status: "active" })).status).toBe(201);
    expect(await patch(again, { status: "active" })).toMatchObject({
      status: 201,
      body: { status: "outdated", status_description: "version 2 is the same, and active" },
    });
    expect((await read<Config>("/latest-config")).body.id).toBe(first);
  });

  test("is given up by its maker, or after a day", async () => {
    const { begin, add, patch, read, greet } = await setup();
    const [given, late] = [await begin(), await begin()];
    const up = await patch(given, { status: "error", status_description: "changed my mind" });
    expect(up.body).toMatchObject({ status: "error", status_description: "changed my mind" });
    await advanceClock(db, "25 hours");
    expect((await add(late, "actions", greet)).status).toBe(409);
    const { signal } = new AbortController();
    expect(await endOldConfigs(db, { signal, batch: 10 })).toBeGreaterThan(0);
    expect((await read<Config>(`/configs/${late}`)).body).toMatchObject({ status: "error" });
    expect((await db`select from app_config_parts where app_config_id = ${late}`).count).toBe(0);
  });

  test("takes parts from many at once, and is sealed once", async () => {
    const { begin, add, patch, read, greet } = await setup();
    const id = await begin();
    const names = Array.from({ length: 10 }, (_, nth) => `a${nth}`);
    const adding = names.map((name) => add(id, "actions", { ...greet, name }));
    const all = await Promise.all(adding);
    expect(all.map(({ status }) => status)).toEqual(names.map(() => 201));
    const patched = await Promise.all(names.map(() => patch(id, { status: "active" })));
    expect(patched.filter(({ status }) => status === 201)).toHaveLength(1);
    const { body } = await read<Config & { document: { actions: object[] } }>(
      `/configs/${id}?recurse=true`,
    );
    expect(body.document.actions).toHaveLength(10);
  });

  test("is nobody's by another app, nor by another org, and a nameless part is none", async () => {
    const { begin, add, greet } = await setup();
    const theirs = await setup();
    const id = await begin();
    expect((await theirs.add(id, "actions", greet)).status).toBe(404);
    expect((await theirs.patch(id, { status: "active" })).status).toBe(404);
    expect((await add(id, "actions", { steps: [] })).status).toBe(422);
    expect((await add(id, "actions", { ...greet, name: "../out" })).status).toBe(422);
    expect((await add(id, "runner-configs", { runner_typ: "aws" })).status).toBe(422);
  });
});

describe("a sync of a config in parts", () => {
  test("checks it and makes it active", async () => {
    const { begin, add, greet, at, token, post } = await setup();
    const id = await begin();
    await add(id, "metadata-configs", { name: "shop" });
    await add(id, "actions", greet);
    const synced = await post(`configs/${id}/sync`, {});
    expect(synced).toMatchObject({ status: 202, body: { id, status: "active" } });
    const latest = await call(`GET ${at}/latest-config`, { token });
    expect(latest.body).toMatchObject({ id });
    expect(await post(`config/${id}/sync`, {})).toMatchObject({
      status: 409,
      body: { code: "config_sealed" },
    });
  });

  test("tells all that is wrong, and keeps it with the config", async () => {
    const { begin, add, at, token, post } = await setup();
    const id = await begin();
    await add(id, "actions", { name: "greet" });
    const refused = await post(`configs/${id}/sync`, {});
    expect(refused.status).toBe(422);
    const { body } = await call(`GET ${at}/configs/${id}`, { token });
    expect(body).toMatchObject({ status: "error" });
  });
});
