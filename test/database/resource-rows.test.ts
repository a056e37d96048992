import { glob } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { newId } from "../../broker/database/new-id.ts";
import type { OrgId } from "../../broker/orgs/org-id.ts";
import type { Rows } from "../../broker/resources/rows-of.ts";
import type { ColumnKind } from "../../shared/resources/members.ts";
import { parents } from "../../shared/resources/parents.ts";
import type { AnyResource } from "../../shared/resources/resource.ts";
import { testDatabase } from "../support/database/database.ts";

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

const isRows = (one: unknown): one is Rows =>
  typeof one === "object" && one !== null && "resource" in one && "list" in one;

const { db } = await testDatabase();
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
    const { columns } = (await listed({})) as unknown as {
      columns: { name: string; type: number }[];
    };
    const types = new Map(columns.map(({ name, type }) => [name, type]));
    const wrong = Object.entries(resource.members).filter(([name, { kind }]) => {
      const type = types.get(name);
      return type === undefined ? !rows.isWhole : !rows.isWhole && !typesOf[kind].includes(type);
    });
    expect(wrong.map(([name]) => name)).toEqual([]);
  });

  const odd = ["'", "%", "_", "\\", '"}', "x".repeat(4096), "a:b,c", ",", "é".repeat(63)];
  test.each(Object.keys(resource.filters))(
    "are narrowed by %s, whatever text it has",
    async (name) => {
      const isTime = /^(?:since|until)$/.test(resource.filters[name]?.test ?? "");
      for (const text of isTime ? ["2026-01-01T00:00:00Z"] : odd)
        expect(await listed({ filter: { [name]: text } })).toEqual([]);
    },
  );

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

test("at most a third of all resources make their items by a function", () => {
  const whole = all.filter(({ isWhole }) => isWhole);
  expect(whole.length).toBeLessThanOrEqual(Math.max(1, all.length / 3));
});

test("ids of a resource begin as its prefix says, and no other's", () => {
  const prefixes = all.map(({ resource }: { resource: AnyResource }) => resource.prefix);
  expect(new Set(prefixes).size).toBe(prefixes.length);
});

function root(): URL {
  return new URL("../../", import.meta.url);
}
