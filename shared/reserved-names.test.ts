import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pathAliases } from "./path-aliases.ts";
import { reservedNames, whyReserved } from "./reserved-names.ts";

const { paths } = JSON.parse(readFileSync("test/openapi.json", "utf8")) as {
  paths: Readonly<Record<string, object>>;
};
const spelt = Object.entries(paths).flatMap(([path, methods]) => [
  path,
  ...Object.keys(methods).flatMap((method) => pathAliases({ method, path })),
]);
const all = spelt.map((path) => path.split("/"));

/** The words that stand where another path has the id of this kind. */
function wordsBeside(kind: string): string[] {
  const before = all.flatMap((path) => {
    const at = path.indexOf(`{${kind}_id}`);
    return at < 0 ? [] : [path.slice(0, at)];
  });
  const isBeside = (path: readonly string[], start: readonly string[]) =>
    path.length > start.length && start.every((part, index) => path[index] === part);
  const words = before.flatMap((start) =>
    all.filter((path) => isBeside(path, start)).map((path) => path[start.length] ?? ""),
  );
  return [...new Set(words)].filter((word) => !word.startsWith("{"));
}

test.each(Object.entries(reservedNames))(
  "of an %s no word of a path is a name",
  (kind, words: readonly string[]) => {
    for (const word of wordsBeside(kind)) expect(words).toContain(word);
  },
);

test("words are read with - equal to _, and ids are no names", () => {
  expect(whyReserved("action", "latest_runs")).toMatch("word of the API's paths");
  expect(whyReserved("runbook", "runs")).toBeUndefined();
  expect(whyReserved("app", "app_01k9zq5v3t8w2x4y6z8a0b2c4d")).toMatch("form of an id");
  for (const name of ["_", "-", ".", ".."])
    expect(whyReserved("install", name)).toMatch("meaning in paths");
});
