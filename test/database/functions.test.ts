import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Db } from "../../broker/database/connect.ts";
import { listMigrations, migrate } from "../../broker/database/migrate.ts";
import { requireCurrentSchema } from "../../broker/database/schema-state.ts";
import { emptyDatabase } from "../support/database/database.ts";
import { testFolder } from "../support/run/folder.ts";

type Files = Readonly<Record<string, string>>;

const answering = (name: string, n: number): string =>
  `create or replace function ${name}() returns int language sql as 'select ${n}';`;
const numbered = { "0001-first.sql": "create table one (n int default early());" };
const early = { "functions/before-tables.sql": answering("early", 1) };
const set: Files = { ...numbered, ...early, "functions/late.sql": answering("late", 1) };

/** A folder of migrations as some version has it. */
async function version(revision: number, files: Files): Promise<string> {
  const directory = await testFolder();
  await mkdir(path.join(directory, "functions"));
  const all = { ...files, "functions/revision.json": JSON.stringify({ revision, checksum: "" }) };
  for (const [name, text] of Object.entries(all)) await writeFile(path.join(directory, name), text);
  return directory;
}

async function answer(db: Db): Promise<number | undefined> {
  const [row] = await db<{ n: number }[]>`select late() as n`;
  return row?.n;
}

describe("functions", () => {
  test("that tables call are applied before them, the others after them, each once", async () => {
    const { url, db } = await emptyDatabase();
    const reader = `create or replace function late() returns int language sql
      begin atomic select count(*)::int from one; end;`;
    const directory = await version(1, { ...set, "functions/late.sql": reader });
    const names = ["functions/before-tables", "0001-first", "functions/late"];
    expect(await migrate(url, directory)).toEqual(names);
    expect(await migrate(url, directory)).toEqual([]);
    expect(await answer(db)).toBe(0);
    await requireCurrentSchema(db, directory);
  });

  test("are applied again when their file's text changes, and no other is", async () => {
    const { url, db } = await emptyDatabase();
    await migrate(url, await version(1, set));
    const next = await version(2, { ...set, "functions/late.sql": answering("late", 2) });
    await expect(requireCurrentSchema(db, next)).rejects.toThrow(
      'The database schema is not up to date: functions/late is missing. Run "svc migrate up".',
    );
    expect(await migrate(url, next)).toEqual(["functions/late"]);
    expect(await answer(db)).toBe(2);
  });

  test("are applied once by five replicas that start at once", async () => {
    const { url } = await emptyDatabase();
    const directory = await version(1, set);
    const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(url, directory)));
    expect(runs.flat()).toHaveLength(3);
  });

  test("of a newer set are left alone by an older version, which refuses", async () => {
    const { url, db } = await emptyDatabase();
    const older = await version(1, set);
    await migrate(url, older);
    await migrate(url, await version(2, { ...set, "functions/late.sql": answering("late", 2) }));
    const refusal =
      "The database has functions of revision 2, which this version does not know: run the newer svc";
    await expect(migrate(url, older)).rejects.toThrow(refusal);
    await expect(requireCurrentSchema(db, older)).rejects.toThrow(refusal);
    expect(await answer(db)).toBe(2);
    expect((await listMigrations(url, older)).map(({ name, state }) => `${name} ${state}`)).toEqual(
      ["0001-first applied", "functions of revision 2 unknown"],
    );
  });

  test("of the same revision and another text are refused", async () => {
    const { url, db } = await emptyDatabase();
    await migrate(url, await version(1, set));
    const other = await version(1, { ...set, "functions/late.sql": answering("late", 2) });
    const refusal = "functions of revision 1";
    await expect(migrate(url, other)).rejects.toThrow(refusal);
    await expect(requireCurrentSchema(db, other)).rejects.toThrow(refusal);
    expect(await answer(db)).toBe(1);
  });

  test("that tables call and all others come together where no table changes", async () => {
    const { url, db } = await emptyDatabase();
    await migrate(url, await version(1, set));
    const texts = { "functions/before-tables.sql": answering("early", 2) };
    const broken = { ...texts, "functions/late.sql": "nonsense;" };
    await expect(migrate(url, await version(2, { ...set, ...broken }))).rejects.toThrow("nonsense");
    expect(await db`select early() as n`).toMatchObject([{ n: 1 }]);
    await requireCurrentSchema(db, await version(1, set));
  });

  test("that tables call are of a newer set from the first on: a run that stopped goes on, an older version refuses", async () => {
    const { url, db } = await emptyDatabase();
    const older = await version(1, set);
    await migrate(url, older);
    const texts = { ...set, "functions/before-tables.sql": answering("early", 2) };
    const broken = await version(2, { ...texts, "0002-next.sql": "nonsense;" });
    await expect(migrate(url, broken)).rejects.toThrow("nonsense");
    await expect(migrate(url, older)).rejects.toThrow("functions of revision 2");
    expect(await db`select early() as n`).toMatchObject([{ n: 2 }]);
    const mended = await version(2, { ...texts, "0002-next.sql": "create table two (n int);" });
    expect(await migrate(url, mended)).toEqual(["0002-next"]);
    await requireCurrentSchema(db, mended);
  });

  test("may call one that a later file makes", async () => {
    const { url, db } = await emptyDatabase();
    const caller = "create or replace function a() returns int language sql as 'select late()';";
    await migrate(url, await version(1, { ...set, "functions/a.sql": caller }));
    expect(await db`select a() as n`).toMatchObject([{ n: 1 }]);
  });

  test("are replaced while a transaction that has called them goes on", async () => {
    const { url, db } = await emptyDatabase();
    await migrate(url, await version(1, set));
    const busy = await db.reserve();
    await busy`begin`;
    expect(await busy`select late() as n`).toMatchObject([{ n: 1 }]);
    await busy`insert into one default values`;
    await migrate(url, await version(2, { ...set, "functions/late.sql": answering("late", 2) }));
    await busy`select late()`; // may be the plan of before
    await busy`commit`;
    busy.release();
    expect(await answer(db)).toBe(2);
  });

  test("of which one fails change nothing, and file and line are named", async () => {
    const { url, db } = await emptyDatabase();
    await migrate(url, await version(1, set));
    const broken = `${answering("worse", 1)}\n\ncreate or replace function late() nonsense;`;
    const changed = {
      ...set,
      "functions/a.sql": answering("late", 2),
      "functions/late.sql": broken,
    };
    await expect(migrate(url, await version(2, changed))).rejects.toThrow(
      /functions\/late, near line 3: .*nonsense/,
    );
    expect(await answer(db)).toBe(1);
    await requireCurrentSchema(db, await version(1, set));
  });
});
