import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";

const folder = path.join(import.meta.dirname, "..", "..", "migrations");
const made = /create (?:or replace )?function (\w+)/g;

test("the migrations' README says which file has the last word on a function that was changed", async () => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).toSorted();
  const files = new Map<string, string[]>();
  for (const file of names) {
    const text = await readFile(path.join(folder, file), "utf8");
    for (const [, name = ""] of text.matchAll(made)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  const changed = [...files].filter(([, where]) => where.length > 1);
  const expected = changed.map(([name, where]) => `${where.at(-1)} ${name}`).toSorted();
  const readme = await readFile(path.join(folder, "README.md"), "utf8");
  const rows = [...readme.matchAll(/^\| (\S+\.sql) \| (.*) \|$/gm)];
  const told = rows.flatMap(([, file, list = ""]) =>
    [...list.matchAll(/`(\w+)`/g)].map(([, name]) => `${file} ${name}`),
  );
  expect(told.toSorted()).toEqual(expected);
});
