import { glob } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { newId } from "../../broker/database/new-id.ts";
import type { OrgId } from "../../broker/orgs/org-id.ts";
import type { Rows } from "../../broker/resources/rows-of.ts";
import { deliveryRows } from "../../broker/webhooks/delivery-rows.ts";
import type { ColumnKind } from "../../shared/resources/members.ts";
import { parents } from "../../shared/resources/parents.ts";
import type { AnyResource } from "../../shared/resources/resource.ts";
import { testDatabase } from "../support/database/database.ts";
import { explaining, readsOf } from "../support/database/explain.ts";
import { type Column, tableColumns } from "../support/database/table-columns.ts";

/** Postgres's own numbers of the types that a kind of member may have. */
const typesOf: Readonly<Record<ColumnKind, readonly number[]>> = {
  text: [25, 1043],
  int: [20, 21, 23],
  number: [700, 701],
  flag: [16],
  instant: [1184],
  json: [114, 3802],
  list: [1009, 1015],
};

type Place = { readonly table: number; readonly number: number };
type ShownColumn = Place & { readonly name: string; readonly type: number };

const isRows = (one: unknown): one is Rows =>
  typeof one === "object" && one !== null && "resource" in one && "list" in one;

const database = await testDatabase();
const { db } = database;
const org = newId("org") as OrgId; // no one's
const all: Rows[] = [];
for await (const file of glob("broker/**/*-rows.ts", { cwd: fileURLToPath(root()) })) {
  const module = (await import(new URL(file, root()).href)) as Record<string, unknown>;
  all.push(...Object.values(module).filter(isRows));
}
const named = all.map((rows) => ({ name: rows.resource.schema, rows }));

describe.each(named)("the rows of $name", ({ rows }) => {
  const { resource } = rows;
  const places = [resource.under, ...(resource.also ?? []).map((parent) => [parent])];

  test.each(places.map((under) => ({ under })))("can be listed under $under", async ({ under }) => {
    const params = Object.fromEntries(under.map((kind) => [parents[kind].param, newId("tok")]));
    expect(await listed({ params })).toEqual([]);
  });

  test("are found by ids, and are none of nobody's", async () => {
    const names = Object.keys(resource.params.shape);
    const params = Object.fromEntries(names.map((name) => [name, newId("tok")]));
    expect(await rows.find(db, org, params)).toBeUndefined();
  });

  test("have columns of the kinds that its members say", async () => {
    const types = new Map((await shownColumns()).map(({ name, type }) => [name, type]));
    const wrong = Object.entries(resource.members).filter(([name, { kind }]) => {
      const type = types.get(name);
      return type === undefined ? !rows.isWhole : !rows.isWhole && !typesOf[kind].includes(type);
    });
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  const wholly = rows.isWhole ? [] : Object.entries(resource.members);
  test.each(wholly)(
    "have %s null and its words where its column has",
    async (name, { schema, show }) => {
      const shown = (await shownColumns()).find((one) => one.name === name);
      const column = await columnOf(shown ?? { table: 0, number: 0 });
      if (column === undefined) return; // an expression
      expect(schema instanceof z.ZodNullable).toBe(column.isNullable);
      const one = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
      const checked = column.words.filter((found) => found.length > 0);
      const words = one instanceof z.ZodEnum ? one.options.map(String).toSorted() : [];
      const isStored = words.every((word) => show(word as never) === word);
      if (words.length === 0 || checked.length === 0 || !isStored) return;
      expect(checked.map((found) => found.toSorted())).toContainEqual(words);
    },
  );

  const odd = ["'", "%", "_", "\\", '"}', "x".repeat(4096), "a:b,c", ",", "é".repeat(63)];
  test.each(Object.keys(resource.filters))(
    "are narrowed by %s, whatever text it has",
    async (name) => {
      const isTime = /^(?:since|until)$/.test(resource.filters[name]?.test ?? "");
      for (const text of isTime ? ["2026-01-01T00:00:00Z"] : odd)
        expect(await listed({ filter: { [name]: text } })).toEqual([]);
    },
  );

  const shownColumns = async () =>
    ((await listed({})) as unknown as { columns: readonly ShownColumn[] }).columns;
  const listed = (wanted: object) =>
    rows.list(db, org, {
      params: {},
      filter: {},
      after: undefined,
      limit: 1,
      offset: 0,
      ...wanted,
    });
});

test("the deliveries of a quiet webhook are not looked for among all of its org", async () => {
  await db.begin(async (tx) => {
    await tx`set local session_replication_role = replica`; // of no org, webhook and event that there is
    await tx`
      insert into webhook_deliveries (id, org_id, webhook_id, event_id, workflow_id, seq, stream, created_at)
      select 'whd_' || n, ${org}, 'whk_' || n % 2, 'evt_' || n, 'wfl_' || n, 1, 'wfl_' || n, svc_now()
        from generate_series(1, 3000) n`;
  });
  await db`vacuum analyze webhook_deliveries`;
  const on = await explaining(database, { isMeasured: true });
  await on.db.unsafe("set plan_cache_mode = force_generic_plan");
  on.take();
  const page = { filter: {}, after: undefined, limit: 11, offset: 0 };
  await deliveryRows.list(on.db, org, { params: { webhook_id: "whk_2" }, ...page });
  const reads = on.take().flatMap(({ Plan }) => readsOf(Plan));
  expect(reads.filter(({ rows: met }) => met > 100)).toEqual([]);
  await db`delete from webhook_deliveries`;
  await on.end();
});

test("at most a third of all resources make their items by a function", () => {
  const whole = all.filter(({ isWhole }) => isWhole);
  expect(whole.length).toBeLessThanOrEqual(Math.max(1, all.length / 3));
});

test("ids of a resource begin as its prefix says, and no other's", () => {
  const prefixes = all.map(({ resource }: { resource: AnyResource }) => resource.prefix);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});

/** The column of a table that a column of an answer is; undefined for an expression. */
async function columnOf({ table, number }: Place): Promise<Column | undefined> {
  const [found] = await db<{ table: string; name: string }[]>`
    select attrelid::regclass::text as table, attname as name from pg_attribute
     where attrelid = ${table} and attnum = ${number}`;
  return found && (await tableColumns(db, found.table)).find(({ name }) => name === found.name);
}

function root(): URL {
  return new URL("../../", import.meta.url);
}
