import { expect, test } from "vitest";
import type { Db } from "../../broker/database/connect.ts";
import { migrate } from "../../broker/database/migrate.ts";
import { newId } from "../../broker/database/new-id.ts";
import { emptyDatabase, testDatabase } from "../support/database/database.ts";
import { formerMigrations } from "../support/database/former-migrations.ts";
import { givenOrg } from "../support/rows/given.ts";

async function givenApp(db: Db, orgId: string): Promise<string> {
  const app = newId("app");
  await db`
    insert into apps (id, org_id, name, display_name, description, created_at, updated_at, created_by_id)
    values (${app}, ${orgId}, 'shop', '', '', '2026-01-01Z', '2026-01-01Z', '')`;
  return app;
}

// In between, functions of before activate a config, and nobody but the trigger notes what it has.
test.each(["0117", "0120"])(
  "apps of before, at %s, know of which configs their components and runbooks are, and the labels that these give",
  async (last) => {
    const { db, url } = await emptyDatabase();
    await migrate(url, await formerMigrations(last));
    const orgId = await givenOrg(db);
    const app = await givenApp(db, orgId);
    const [first, second, component, runbook] = [
      newId("cfg"),
      newId("cfg"),
      newId("cmp"),
      newId("rbk"),
    ];
    await db`
      insert into components (id, org_id, app_id, name, created_at) values (${component}, ${orgId}, ${app}, 'my_web', svc_now())`;
    await db`
      insert into runbooks (id, org_id, app_id, name, created_at) values (${runbook}, ${orgId}, ${app}, 'again', svc_now())`;
    const documents = [
      { components: [{ name: "my-web", type: "job", labels: { old: "1" } }] },
      {
        components: [{ name: "my_web", type: "helm_chart", labels: { team: "web" } }],
        runbooks: [{ name: "again" }],
      },
    ];
    for (const [at, id] of [first, second].entries())
      await db`
        insert into app_configs (id, org_id, app_id, version, status, status_at, status_description, checksum, cli_version, document,
                                 created_at, created_by_id)
        values (${id}, ${orgId}, ${app}, ${at + 1}, ${at === 0 ? "outdated" : "active"}, svc_now(),
                ${at === 0 ? "a newer config is active" : ""}, '', '', ${JSON.stringify(documents[at])},
                ${`2026-01-0${at + 1}Z`}::text::timestamptz, '')`;
    await db`update apps set active_config_id = ${second} where id = ${app}`;
    await migrate(url);
    const rows = await db<{ id: string }[]>`
      select id::text, component_id::text, app_config_id::text, name, type from component_configs order by id`;
    expect(rows).toMatchObject([
      { component_id: component, app_config_id: first, name: "my-web", type: "job" },
      { component_id: component, app_config_id: second, name: "my_web", type: "helm_chart" },
    ]);
    for (const { id } of rows) expect(id).toMatch(/^ccc_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(await db`select runbook_id::text, app_config_id::text from runbook_configs`).toEqual([
      { runbook_id: runbook, app_config_id: second },
    ]);
    expect(await db`select labels, config_labels from components`).toEqual([
      { labels: { team: "web" }, config_labels: { team: "web" } },
    ]);
    expect(await db`select labels from runbooks`).toEqual([{ labels: {} }]);
  },
);

/** Syncs as a broker of schema 0117 does: its drafts tell names alone of components. */
async function givenOldSyncs() {
  const { db } = await testDatabase();
  const orgId = await givenOrg(db);
  const app = await givenApp(db, orgId);
  const sync = async (labels: object): Promise<string> => {
    const id = newId("cfg");
    const components = [{ name: "web", type: "job", labels }];
    const draft = {
      id,
      name: "shop",
      checksum: id,
      document: JSON.stringify({ components }),
      cli_version: "",
      default_labels: {},
      label_colors: {},
      links: {},
      created_by_id: "",
      actions: [],
      runbooks: [],
      components: [{ name: "web", id: newId("cmp") }],
    };
    const [done] = await db<{ outcome: string }[]>`
      select * from sync_app_config(${orgId}, ${app}, ${JSON.stringify(draft)}::text::json, null)`;
    expect(done?.outcome).toBe("created");
    return id;
  };
  const read = async () => {
    const [component] = await db<{ id: string; labels: object; config_labels: object }[]>`
      select id::text, labels, config_labels from components where app_id = ${app}`;
    const [row] = await db<{ holders: string[] }[]>`
      select holders_of_part(${orgId}, 'components', ${component?.id ?? ""}) as holders`;
    const configs = await db`
      select app_config_id::text, type from component_configs where org_id = ${orgId} order by created_at`;
    return { ...component, holders: row?.holders, configs: [...configs] };
  };
  return { db, app, sync, read };
}

test("a sync by an older broker gives components the labels and types that its config says", async () => {
  const { db, app, sync, read } = await givenOldSyncs();
  const first = await sync({ team: "web", old: "1" });
  await db`update components set labels = labels || '{"own": "1"}', updated_at = null where app_id = ${app}`;
  const second = await sync({ team: "ops" });
  expect(await read()).toMatchObject({
    labels: { team: "ops", own: "1" },
    config_labels: { team: "ops" },
    holders: [second],
    configs: [
      { app_config_id: first, type: "job" },
      { app_config_id: second, type: "job" },
    ],
  });
  expect(await db`select updated_at is null as is_new from components`).toEqual([
    { is_new: false },
  ]);
});

test("a config that functions of schema 0117 bring in force is noted all the same: it holds its components", async () => {
  const { db, sync, read } = await givenOldSyncs();
  const [now] = await db<{ text: string }[]>`
    select pg_get_functiondef('tell_app_of_config'::regproc) as text`;
  const before = now?.text.replace(/^ *perform note_config_parts.*$/m, "") ?? "";
  expect(before).not.toBe(now?.text);
  await db.unsafe(before);
  await sync({ team: "web" });
  const second = await sync({ team: "ops" });
  expect(await read()).toMatchObject({
    labels: { team: "ops" },
    config_labels: { team: "ops" },
    holders: [second],
    configs: [{ type: "job" }, { app_config_id: second }],
  });
});
