import { expect, test } from "vitest";
import { migrate } from "../../broker/database/migrate.ts";
import { newId } from "../../broker/database/new-id.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { formerMigrations } from "../support/database/former-migrations.ts";
import { givenOrg } from "../support/rows/given.ts";

test("installs of before have the configs that their workflows brought, else the one that they have", async () => {
  const { db, url } = await emptyDatabase();
  await migrate(url, await formerMigrations("0121"));
  const org = await givenOrg(db);
  const [kept, pruned, idle] = [newId("ins"), newId("ins"), newId("ins")];
  const [first, second, third] = [newId("cfg"), newId("cfg"), newId("cfg")];
  const workflows = [
    { install: kept, type: "provision", config: first, status: "success", day: 1 },
    { install: kept, type: "reprovision", config: first, status: "success", day: 2 },
    { install: kept, type: "app_branch_config_update", config: second, status: "error", day: 3 },
    { install: kept, type: "app_branch_config_update", config: second, status: "success", day: 4 },
    { install: kept, type: "action_workflow_run", config: first, status: "success", day: 5 },
  ];
  const installs = [
    [kept, second],
    [pruned, first],
    [idle, null],
  ] as const;
  await db.begin(async (sql) => {
    await sql`set local session_replication_role = replica`; // without all that rows refer to
    for (const [id, config] of installs)
      await sql`
        insert into installs (id, org_id, app_id, name, install_number, cloud_platform, phase_at, applied_config_id, runner_group_id,
                              runner_id, created_at, updated_at)
        values (${id}, ${org}, ${newId("app")}, ${id}, 1, 'unknown', '2026-02-01Z', ${config}, ${newId("rgr")}, ${newId("run")},
                '2026-01-01Z', '2026-01-01Z')`;
    for (const { install, type, config, status, day } of workflows)
      await sql`
        insert into workflows (id, org_id, type, owner_type, owner_id, status, status_at, approval_option, app_config_id, signal_id,
                               queue_id, created_at, finished_at, created_by_id)
        values (${newId("wfl")}, ${org}, ${type}, 'installs', ${install}, ${status}, svc_now(), 'prompt', ${config}, ${newId("sig")},
                ${newId("que")}, '2026-01-01Z', ${`2026-01-0${day}Z`}::text::timestamptz, 'somebody')`;
  });
  await migrate(url);
  // As the function's former text does, until it is replaced.
  await db`update installs set applied_config_id = ${second} where id = ${pruned}`;
  const change = JSON.stringify({ applied_config_id: third });
  await db`select write_install_change(${org}, ${pruned}, ${newId("wfl")}, ${change}::text::jsonb, '2026-03-01Z')`;
  const rows = await db`
    select install_id, old_app_config_id as old, new_app_config_id as new, workflow_id is null as is_found, created_by_id as by,
           to_char(created_at at time zone 'UTC', 'MM-DD') as at
      from install_app_configs order by id`;
  expect(rows.map((row) => ({ ...row }))).toEqual([
    { install_id: kept, old: null, new: first, is_found: false, by: "somebody", at: "01-01" },
    { install_id: kept, old: first, new: second, is_found: false, by: "somebody", at: "01-04" },
    { install_id: pruned, old: null, new: first, is_found: true, by: "", at: "02-01" },
    { install_id: pruned, old: first, new: second, is_found: true, by: "", at: "02-01" },
    { install_id: pruned, old: second, new: third, is_found: false, by: "", at: "03-01" },
  ]);
});
