import { describe, expect, test } from "vitest";
import { z } from "zod";
import { testDatabase } from "./support/database/database.ts";
import { type Column, tableColumns } from "./support/database/table-columns.ts";
import { sourceFiles } from "./support/run/source-files.ts";

type Row = { title: string; schema: z.ZodObject; table: string };

const typesOf: Record<string, readonly string[]> = {
  string: ["text", "json"],
  enum: ["text"],
  literal: ["text"],
  custom: ["text", "bytea"],
  number: ["int2", "int4", "int8", "float8"],
  boolean: ["bool"],
  date: ["timestamptz"],
  array: ["_text", "jsonb"],
  object: ["jsonb"],
  record: ["jsonb"],
  unknown: ["jsonb", "json"],
};

const { db } = await testDatabase();
const rows = await readRows();

/** Every row type with the table its comment names. */
async function readRows(): Promise<Row[]> {
  const files = (await sourceFiles()).filter(({ name }) => name.endsWith("/row.ts"));
  const found = files.map(async ({ name, text }) => {
    const module = (await import(/* @vite-ignore */ `../${name}`)) as Record<string, unknown>;
    return [...text.matchAll(/^\/\*\* (.*) \*\/\nexport const (\w+) = z\.object/gm)].map(
      ([, comment = "", row = ""]) => ({
        title: `${name} ${row}`,
        schema: module[row] as z.ZodObject,
        table: /^A row of `(\w+)`/.exec(comment)?.[1] ?? "",
      }),
    );
  });
  return (await Promise.all(found)).flat();
}

/** What a member of a row is, whether it may be null, and which words it may be. */
function kindOf(member: z.ZodType): { kind: string; isNullable: boolean; words?: string[] } {
  if (member instanceof z.ZodNullable)
    return { ...kindOf(member.unwrap() as z.ZodType), isNullable: true };
  if (member instanceof z.ZodOptional) return kindOf(member.unwrap() as z.ZodType);
  const kind = member.def.type;
  if (member instanceof z.ZodEnum)
    return { kind, isNullable: false, words: member.options.map(String) };
  return { kind, isNullable: false };
}

test("row types are found", () => {
  expect(rows.length).toBeGreaterThan(10);
  expect(rows.filter(({ table }) => table === "")).toEqual([]);
});

describe.each(rows)("$title", ({ schema, table }) => {
  test("is as its table is", async () => {
    const columns = await tableColumns(db, table);
    expect(columns).not.toEqual([]);
    for (const [name, member] of Object.entries(schema.shape)) {
      const column = columns.find((one) => one.name === name);
      expect(column, `${table} has no column ${name}`).toBeDefined();
      if (column !== undefined) expectMember(table, column, member as z.ZodType);
    }
  });
});

function expectMember(table: string, column: Column, member: z.ZodType): void {
  const where = `${table}.${column.name}`;
  const { kind, isNullable, words } = kindOf(member);
  expect(typesOf[kind], `${where} is ${column.type}, the row says ${kind}`).toContain(column.type);
  expect(isNullable, `${where} may ${column.isNullable ? "" : "not "}be null`).toBe(
    column.isNullable,
  );
  // Where enqueueing or reporting has checked the word already, the hottest tables do not do it again.
  if (words === undefined || column.words.every((one) => one.length === 0)) return;
  const checked = column.words.map((one) => one.toSorted());
  expect(checked, `the check of ${where}`).toContainEqual(words.toSorted());
}
