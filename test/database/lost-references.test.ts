import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { breakableReferences } from "../../broker/database/lost-references.ts";
import { ages } from "../../broker/retention/delete-old-rows.ts";
import { testDatabase } from "../support/database/database.ts";

const root = path.join(import.meta.dirname, "../..");

/** The tables that this project's programs delete rows of. */
async function deletedTables(): Promise<ReadonlySet<string>> {
  const texts: string[] = [];
  for (const folder of ["broker", "migrations/functions"])
    for (const file of await readdir(path.join(root, folder), { recursive: true }))
      if (/(?<!\.test)\.(?:ts|sql)$/.test(file))
        texts.push(await readFile(path.join(root, folder, file), "utf8"));
  const found = texts.flatMap((text) => [...text.matchAll(/delete from (?<table>\w+)/g)]);
  return new Set([...found.map(({ groups }) => groups?.["table"] ?? ""), ...Object.keys(ages)]);
}

test("each reference to rows that are deleted while the database is in use has words for who finds it broken", async () => {
  const { db } = await testDatabase();
  const deleted = await deletedTables();
  expect(deleted.has("roles")).toBe(true);
  const all = await db<{ name: string; table: string }[]>`
    select c.conname as name, c.confrelid::regclass::text as table from pg_constraint c
     where c.contype = 'f' and c.conparentid = 0 and c.connamespace = current_schema()::regnamespace`;
  expect(all.length).toBeGreaterThan(50);
  const breakable = all.filter(({ table }) => deleted.has(table)).map(({ name }) => name);
  expect(Object.keys(breakableReferences).toSorted()).toEqual(breakable.toSorted());
});
