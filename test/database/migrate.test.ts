import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connect, type Db } from "../../broker/database/connect.ts";
import { startEmbeddedPostgres } from "../../broker/database/embedded.ts";
import { listMigrations, migrate } from "../../broker/database/migrate.ts";
import { requireCurrentSchema, schemaState } from "../../broker/database/schema-state.ts";
import { emptyDatabase, testDatabase } from "../support/database/database.ts";
import { testFolder } from "../support/run/folder.ts";

async function setup(files: Record<string, string>) {
  const { url, db } = await emptyDatabase();
  const directory = await testFolder();
  const write = async (name: string, text: string) =>
    await writeFile(path.join(directory, name), text);
  for (const [name, text] of Object.entries(files)) await write(name, text);
  return { url, db, directory, write };
}

async function tables(db: Db): Promise<string[]> {
  const rows = await db<{ name: string }[]>`
    select table_name as name from information_schema.tables
     where table_schema = 'public' order by 1`;
  return rows.map(({ name }) => name);
}

const first = { "0001-first.sql": "create table one (n int); insert into one values (1);" };
const both = { ...first, "0002-second.sql": "create table two (n int);" };

describe("migrate", () => {
  test("applies what is missing, in order, once", async () => {
    const { url, db, directory, write } = await setup(first);
    expect(await migrate(url, directory)).toEqual(["0001-first"]);
    await write("0002-second.sql", both["0002-second.sql"]);
    expect(await migrate(url, directory)).toEqual(["0002-second"]);
    expect(await migrate(url, directory)).toEqual([]);
    expect(await tables(db)).toEqual(["one", "svc_functions", "svc_migrations", "two"]);
  });

  test("started by five replicas at once applies each file once", async () => {
    const { url, db, directory } = await setup(both);
    const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(url, directory)));
    expect(runs.flat().sort()).toEqual(["0001-first", "0002-second"]);
    expect(await db`select count(*) from one`).toEqual([{ count: 1 }]);
  });

  test("leaves the follow-up queue ready", async () => {
    const { url, db, directory } = await setup(first);
    await migrate(url, directory);
    await db`select graphile_worker.add_job('anything', '{}'::json)`;
  });

  test("keeps nothing of a file that fails half-way, and names file and line", async () => {
    const { url, db, directory } = await setup({
      ...first,
      "0002-second.sql": "create table two (n int);\n\ncreate table three (n nonsense);",
    });
    await expect(migrate(url, directory)).rejects.toThrow(/0002-second, near line 3: .*nonsense/);
    expect(await tables(db)).toEqual(["one", "svc_functions", "svc_migrations"]);
  });

  test("waits for its turn when somebody holds a lock on the table", async () => {
    const { url, db, directory, write } = await setup(first);
    await migrate(url, directory);
    await write("0002-second.sql", "alter table one add column m int;");
    const reader = await db.reserve();
    await reader`begin`;
    await reader`select * from one`;
    const running = migrate(url, directory);
    await expect
      .poll(
        async () =>
          await db`
        select 1 from pg_locks join pg_database d on d.oid = database
         where not granted and datname = current_database()`,
      )
      .toHaveLength(1);
    await reader`commit`;
    reader.release();
    expect(await running).toEqual(["0002-second"]);
  });
});

describe("a schema", () => {
  test("newer than this version is refused, and stays as it is", async () => {
    const { url, db, directory } = await setup(first);
    await migrate(url, directory);
    await db`insert into svc_migrations (name, checksum) values ('0002-later', 'x')`;
    await expect(migrate(url, directory)).rejects.toThrow(
      "The database has 0002-later, which this version does not know",
    );
    await expect(requireCurrentSchema(db, directory)).rejects.toThrow("0002-later");
  });

  test("whose file was edited afterwards is refused", async () => {
    const { url, directory, write } = await setup(first);
    await migrate(url, directory);
    await write("0001-first.sql", "create table one (n bigint);");
    await expect(migrate(url, directory)).rejects.toThrow("other text than that of 0001-first");
  });

  test("is the same file with another system's line ends", async () => {
    const { url, directory, write } = await setup({ "0001-first.sql": "select 1;\nselect 2;\n" });
    await migrate(url, directory);
    await write("0001-first.sql", "select 1;\r\nselect 2;\r\n");
    expect(await migrate(url, directory)).toEqual([]);
  });

  test("that lacks a migration is not served, and says how to mend it", async () => {
    const { db, directory } = await setup(first);
    await expect(requireCurrentSchema(db, directory)).rejects.toThrow(
      'The database has no schema of svc yet. Run "svc migrate up".',
    );
    expect(await tables(db)).toEqual([]);
  });

  test("lists what it has, what is missing and what is not known", async () => {
    const { url, db, directory, write } = await setup(first);
    await migrate(url, directory);
    await write("0002-second.sql", "select 2;");
    await db`insert into svc_migrations (name, checksum) values ('0003-later', 'x')`;
    const rows = await listMigrations(url, directory);
    expect(rows.map(({ name, state }) => [name, state])).toEqual([
      ["0001-first", "applied"],
      ["0002-second", "pending"],
      ["0003-later", "unknown"],
    ]);
    expect(rows[0]?.appliedAt).toBeInstanceOf(Date);
    expect(rows[1]?.appliedAt).toBeNull();
  });

  test.each([
    ["a gap", { "0001-first.sql": "", "0003-third.sql": "" }],
    ["a number twice", { "0001-first.sql": "", "0001-other.sql": "" }],
    ["a name of another form", { "1-First.sql": "" }],
  ])("with %s among its files is a mistake of ours", async (_what, files) => {
    const { url, directory } = await setup(files);
    await expect(migrate(url, directory)).rejects.toThrow(/is not named|leaves a gap/);
  });
});

describe("the shipped migrations", () => {
  test("are all applied to a test's database", async () => {
    const { db } = await testDatabase();
    const states = new Set((await schemaState(db)).map(({ state }) => state));
    expect([...states]).toEqual(["applied"]);
  });

  test("run on the oldest Postgres we support", async () => {
    const dataDir = await testFolder();
    const postgres = await startEmbeddedPostgres({
      dataDir,
      fsync: false,
      packageName: "postgres-15",
    });
    onTestFinished(async () => await postgres.stop());
    expect(postgres.version).toMatch(/^15\./);
    await migrate(postgres.url);
    const db = connect(postgres.url, { max: 1 });
    await requireCurrentSchema(db);
    await db.end();
  });
});
