import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { baseline } from "../../broker/database/baseline.ts";
import { migrationsFolder, shippedMigrations } from "../../broker/database/shipped-migrations.ts";
import { listFunctions } from "../../build/describe-schema.ts";
import { functionFiles, functionsChecksum, schemaText } from "../../build/write-schema.ts";
import { testDatabase } from "../support/database/database.ts";
import { sourceFiles } from "../support/run/source-files.ts";

const makes = /^create or replace function (\w+)/gm;
/** By the tables themselves, and by what test/builds keeps. */
const calledElsewhere = new Set(["functions/before-tables.sql", "functions/for-older-brokers.sql"]);
const byHand = ["adopt_restored_events"]; // docs/operations.md, after a restore
const withoutComments = (text: string): string => text.replaceAll(/--.*$/gm, "");

describe("the schema", () => {
  test("is what schema.sql says; `npm run schema` writes it", async () => {
    const { url } = await testDatabase();
    const written = await readFile(path.join(migrationsFolder, "schema.sql"), "utf8");
    expect(written).toBe(await schemaText(url));
  });

  test("has a revision of its functions that goes up with their text; `npm run schema` sees to it", async () => {
    const { functionSet } = await shippedMigrations();
    expect(functionSet.checksum).toBe(await functionsChecksum());
  });
});

describe("each function", () => {
  test("has one text, in one file, and is there once", async () => {
    const { db } = await testDatabase();
    const { functions } = await shippedMigrations();
    const made = functions.flatMap(({ text }) =>
      [...text.matchAll(makes)].map(([, name = ""]) => name),
    );
    const there = (await listFunctions(db)).map(({ name }) => name);
    expect(there).toEqual(made.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(there).size).toBe(there.length);
  });

  test("is one that Postgres can read: they are created without a look at their bodies", async () => {
    const { db } = await testDatabase();
    await db`
      select case l.lanname when 'sql' then fmgr_sql_validator(p.oid) else plpgsql_validator(p.oid) end
        from pg_proc p join pg_language l on l.oid = p.prolang
       where p.pronamespace = 'public'::regnamespace`;
  });

  test("that a check calls finds what it calls without a search path, as a restore of data has none", async () => {
    const { db } = await testDatabase();
    const called = await db<{ call: string }[]>`
      select distinct format('select public.%I(%s)', p.proname, coalesce(
               (select string_agg('null::' || format_type(type, null), ', ')
                  from unnest(p.proargtypes::oid[]) type), '')) as call
        from pg_constraint c
        join pg_depend d on d.classid = 'pg_constraint'::regclass and d.objid = c.oid
         and d.refclassid = 'pg_proc'::regclass
        join pg_proc p on p.oid = d.refobjid
       where c.contype = 'c' and p.pronamespace = 'public'::regnamespace and not p.proisstrict`;
    expect(called.map(({ call }) => call)).toContain(
      "select public.is_job_move(null::text, null::text, null::text)",
    );
    await db.begin(async (tx) => {
      await tx`set local search_path = ''`;
      for (const { call } of called) await tx.unsafe(call);
    });
  });

  test("is called: by the broker, by another one, by hand, or by older brokers", async () => {
    const { functions } = await shippedMigrations();
    const callers = (await sourceFiles()).filter(({ name }) => name.startsWith("broker/"));
    const calls = functions.map(({ text }) => withoutComments(text.replaceAll(makes, ""))).join();
    const words = callers.map(({ text }) => text).join(); // a sweep is told the name of its function
    const names = [...(await functionFiles())].filter(([, file]) => !calledElsewhere.has(file));
    const isCalled = ([name]: readonly [string, string]) =>
      new RegExp(`\\b${name}\\(`).test(calls) || new RegExp(`\\b${name}\\b`).test(words);
    expect(names.filter((one) => !isCalled(one)).map(([name]) => name)).toEqual(byHand);
  });

  test("is called by no numbered file: its text there may be another one by then", async () => {
    const { numbered } = await shippedMigrations();
    const names = [...(await functionFiles())]
      .filter(([, file]) => !file.endsWith("before-tables.sql"))
      .map(([name]) => name);
    const calls = new RegExp(`\\b(?:${names.join("|")})\\(`);
    const texts = numbered.map(({ file, text }) => [file, withoutComments(text)] as const);
    expect(texts.filter(([, text]) => calls.test(text)).map(([file]) => file)).toEqual([]);
    expect(numbered[0]?.file).toBe(`${baseline.first}.sql`);
  });
});
