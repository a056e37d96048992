import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { pathAliases } from "../../shared/path-aliases.ts";
import { notStanding } from "./not-standing.ts";
import { routeKey, wireOperations } from "./wire-types.ts";

const { paths } = JSON.parse(readFileSync("test/openapi.json", "utf8")) as {
  paths: Readonly<Record<string, object>>;
};
const standing = new Set(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      [path, ...pathAliases({ method, path })].map((one) => routeKey(method, one)),
    ),
  ),
);
const said = Object.values(notStanding).flatMap((lines) =>
  lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const [methods = "", path = ""] = line.trim().split(" ");
      return methods.split(",").map((method) => routeKey(method, path));
    }),
);

test("what clients call stands, at its path or an alias, or has a reason why not", () => {
  const missing = wireOperations
    .map(({ method, path }) => routeKey(method, path))
    .filter((key) => !standing.has(key));
  expect(missing.toSorted()).toEqual(said.toSorted());
});
