import { describe, expect, test } from "vitest";
import { storedDocument } from "../../../broker/app-configs/stored-document.ts";
import type { App } from "../../../shared/api/app.ts";
import { type Config, givenAppsApi } from "../../support/apps/apps-api.ts";
import { documentOf } from "../../support/apps/given-app.ts";
import { richDocument } from "../../support/apps/rich-document.ts";

const { call, setup, db } = await givenAppsApi();
const actionOf = (name: string) => ({ name, steps: [{ name, command: "echo a" }] });

describe("a sync", () => {
  test("makes a config active as a whole, and the former one outdated", async () => {
    const { app, sync, read } = await setup();
    const labels = {
      ...documentOf("shop"),
      "metadata.toml": { name: "shop", default_labels: { team: "a" } },
    };
    const first = await sync(labels, "?cli_version=1.2.3");
    expect(first).toMatchObject({
      status: 201,
      body: { version: 1, status: "active", cli_version: "1.2.3" },
    });
    expect(first.body.changes).toMatchObject([
      { section: "actions", name: "greet", change: "added" },
      { section: "metadata", name: "", change: "added" },
    ]);
    expect((await read<App>("")).body).toMatchObject({
      default_labels: { team: "a" },
      config_count: 1,
      active_config_id: first.body.id,
    });
    const second = await sync(documentOf("shop", "echo bye"));
    expect(second.body).toMatchObject({ version: 2, status: "active" });
    expect(second.body.changes).toEqual([
      { section: "actions", name: "greet", change: "changed", members: ["steps"] },
      { section: "metadata", name: "", change: "changed", members: ["default_labels"] },
    ]);
    expect((await read<App>("")).body).toMatchObject({
      id: app.id,
      default_labels: {},
      config_count: 2,
    });
    const { body } = await read<Config[]>("/configs");
    expect(body.map(({ version, status }) => [version, status])).toEqual([
      [2, "active"],
      [1, "outdated"],
    ]);
    expect((await read<Config[]>("/configs?limit=1&offset=1")).body).toMatchObject([
      { version: 1 },
    ]);
  });

  test("is read with its readme, its status and the ids of what it has by name", async () => {
    const { sync, read } = await setup();
    const { body: made } = await sync(await richDocument());
    const idsOf = async (kind: string) => {
      const { body } = await read<{ id: string }[]>(`/${kind}?limit=100`);
      return body.map(({ id }) => id).sort();
    };
    const whole = {
      readme: expect.stringContaining("#") as string,
      action_ids: await idsOf("actions"),
      component_ids: await idsOf("components"),
      runbook_ids: await idsOf("runbooks"),
      status_v2: { status: "active", metadata: {}, history: [] },
    };
    expect(whole.action_ids.length * whole.component_ids.length).toBeGreaterThan(0);
    expect(made).toMatchObject(whole);
    expect((await read(`/configs/${made.id}`)).body).toMatchObject(whole);
    expect((await read("/latest-config?recurse=true")).body).toMatchObject(whole);
    await sync(documentOf("shop"));
    const former = { ...whole, status: "outdated", status_v2: { status: "outdated" } };
    expect((await read(`/configs/${made.id}`)).body).toMatchObject(former);
    const { body: list } = await read<object[]>("/configs");
    expect(list).toMatchObject([
      { status_v2: { status: "active" } },
      { status_v2: { status: "outdated" } },
    ]);
  });

  test("of the active config makes no version, whatever its files are called", async () => {
    const { sync, read } = await setup();
    const first = await sync(documentOf("shop"));
    const { actions, ...rest } = documentOf("shop");
    const renamed = {
      ...rest,
      actions: { "other.toml": Object.values(actions ?? {})[0] as object },
    };
    for (const query of ["", "?base_config_id=cfg_other"])
      expect(await sync(renamed, query)).toMatchObject({
        status: 200,
        body: { id: first.body.id, version: 1, changes: [] },
      });
    expect((await read<Config>("/latest-config")).body).toMatchObject({ version: 1 });
  });

  test("tells what it would do, and does nothing", async () => {
    const { sync, read } = await setup();
    const preview = await sync(documentOf("shop"), "?dry_run=true");
    expect(preview).toMatchObject({
      status: 200,
      body: { changes: [{ change: "added" }, { change: "added" }] },
    });
    expect((await read("/latest-config")).status).toBe(404);
    expect((await sync(documentOf("other"), "?dry_run=true")).status).toBe(422);
  });

  test("is refused from a base that is not active any more", async () => {
    const { sync } = await setup();
    const first = await sync(documentOf("shop"));
    const base = `?base_config_id=${first.body.id}`;
    const second = await sync(documentOf("shop", "echo 2"), base);
    expect(second.status).toBe(201);
    const late = await sync(documentOf("shop", "echo 3"), base);
    expect(late).toMatchObject({
      status: 409,
      body: { code: "config_changed", active_config_id: second.body.id },
    });
    expect((await sync(documentOf("shop", "echo 3"), `${base}&dry_run=true`)).status).toBe(409);
  });

  test("is refused with all that is wrong, each with its file", async () => {
    const { sync, read } = await setup();
    const wrong = {
      "metadata.toml": { nam: "shop", verzion: "v1" },
      actions: { "a.toml": { name: "A", steps: [] } },
      "input.toml": {},
    };
    const { status, body } = await sync(wrong);
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "invalid" });
    expect(
      body.errors?.map(({ file, pointer, code, line }) => [file, pointer, code, line]),
    ).toEqual([
      ["actions/a.toml", "#/actions/a.toml/name", "bad_value", null],
      ["actions/a.toml", "#/actions/a.toml/steps", "bad_value", null],
      ["input.toml", "#/input.toml", "unknown_key", null],
      ["metadata.toml", "#/metadata.toml/nam", "unknown_key", null],
    ]);
    expect(await sync(documentOf("other"))).toMatchObject({
      status: 422,
      body: { errors: [{ code: "other_app" }] },
    });
    expect((await read<Config[]>("/configs")).body).toEqual([]);
  });

  test("of three configs at once makes three versions, of which one is active", async () => {
    const { sync, read } = await setup();
    const made = await Promise.all([1, 2, 3].map((nth) => sync(documentOf("shop", `echo ${nth}`))));
    expect(made.map(({ body }) => body.version).sort((a, b) => a - b)).toEqual([1, 2, 3]);
    const { body } = await read<Config[]>("/configs?limit=20");
    expect(body.filter(({ status }) => status === "active").map(({ version }) => version)).toEqual([
      3,
    ]);
  });

  test("that meets more of its org than may wait is refused for now, and nothing of it is stored", async () => {
    const { sync, read } = await setup();
    const asked = Array.from({ length: 24 }, (_, nth) => sync(documentOf("shop", `echo ${nth}`)));
    const answers = await Promise.all(asked);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused[0]).toMatchObject({ body: { code: "busy" } });
    expect(refused[0]?.headers.get("retry-after")).toBe("5");
    const { body } = await read<Config[]>("/configs?limit=50");
    expect(body.length).toBe(answers.filter(({ status }) => status === 201).length);
  });
});

describe("a config", () => {
  test("is read whole, compared and drawn", async () => {
    const { sync, read } = await setup();
    const job = (name: string, more: object = {}) => ({
      type: "job",
      name,
      image_url: "i",
      ...more,
    });
    const first = await sync(documentOf("shop"));
    const env = { URL: "{{ .svc.components.a.outputs.url }}" };
    const components = { "a.toml": job("a"), "b.toml": job("b", { env_vars: env }) };
    const second = await sync({ ...documentOf("shop"), components });
    const at = `/configs/${second.body.id}`;
    const whole = await read<Config>(`${at}?recurse=true`);
    expect(whole.body.document).toMatchObject({
      metadata: { name: "shop" },
      components: [{ name: "a" }, { name: "b" }],
    });
    expect((await read<Config>(at)).body).not.toHaveProperty("document");
    expect((await read(`${at}/graph`)).body).toEqual({
      order: ["a", "b"],
      edges: [{ from: { type: "component", name: "b" }, to: "a", declared: false }],
    });
    const added = { section: "components", change: "added", members: [] };
    const changes = [
      { ...added, name: "a" },
      { ...added, name: "b" },
    ];
    expect((await read(`${at}/diff`)).body).toMatchObject({ changes });
    const back = await read(`/configs/${first.body.id}/diff?old_config_id=${second.body.id}`);
    expect(back.body).toMatchObject({
      changes: changes.map((one) => ({ ...one, change: "removed" })),
    });
  });

  test("that is large is read in pieces, once for all who ask, and is the same as the whole", async () => {
    const { orgId, sync, read } = await setup();
    const readme = "a line\n".repeat(60_000);
    const synced = await sync({
      ...documentOf("shop"),
      "metadata.toml": { name: "shop", readme },
      components: {},
      actions: { "a.toml": actionOf("a"), "b.toml": actionOf("b") },
    });
    expect(synced).toMatchObject({ status: 201, body: { readme } });
    const [one, two] = await Promise.all(
      [1, 2].map(() => storedDocument(db, orgId, synced.body.id)),
    );
    const { body } = await read<Config>(`/configs/${synced.body.id}?recurse=true`);
    expect(one).toEqual(body.document);
    expect(Object.keys(one ?? {})).toEqual(Object.keys(body.document ?? {}));
    expect(two).toBe(one);
  });

  test("is nobody's by another app, nor by another org", async () => {
    const { sync, create, token } = await setup();
    const config = (await sync(documentOf("shop"))).body.id;
    const other = (await create({ name: "other" })).body.id;
    for (const path of ["", "/diff", "/graph"])
      expect((await call(`GET /v1/apps/${other}/configs/${config}${path}`, { token })).status).toBe(
        404,
      );
    const theirs = await setup();
    const mine = (await theirs.sync(documentOf("shop"))).body.id;
    const old = await theirs.read(`/configs/${mine}/diff?old_config_id=${config}`);
    expect(old.status).toBe(404);
  });
});
