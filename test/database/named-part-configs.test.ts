import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { migrate } from "../../broker/database/migrate.ts";
import { newId } from "../../broker/database/new-id.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { givenOrg } from "../support/rows/given.ts";
import { testFolder } from "../support/run/folder.ts";

/** The migrations up to 0117. */
async function formerMigrations(): Promise<string> {
  const directory = join(await testFolder(), "migrations");
  await cp("migrations", directory, { recursive: true });
  const files = await readdir(directory);
  const later = files.filter((name) => /^\d{4}-/.test(name) && name >= "0118");
  for (const name of later) await rm(join(directory, name));
  return directory;
}

test("apps of before know of which configs their components and runbooks are, and the labels that these give", async () => {
  const { db, url } = await emptyDatabase();
  await migrate(url, await formerMigrations());
  const orgId = await givenOrg(db);
  const [app, first, second, component, runbook] = [
    newId("app"),
    newId("cfg"),
    newId("cfg"),
    newId("cmp"),
    newId("rbk"),
  ];
  await db`
    insert into apps (id, org_id, name, display_name, description, created_at, updated_at, created_by_id)
    values (${app}, ${orgId}, 'shop', '', '', '2026-01-01Z', '2026-01-01Z', '')`;
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
  await db`
    insert into components (id, org_id, app_id, name, created_at) values (${component}, ${orgId}, ${app}, 'my_web', svc_now())`;
  await db`
    insert into runbooks (id, org_id, app_id, name, created_at) values (${runbook}, ${orgId}, ${app}, 'again', svc_now())`;
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
});
