import { expect, test } from "vitest";
import { readRootFile } from "../support/run/source-files.ts";
import { routeKey, wireOperations } from "./wire-types.ts";

type Document = {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: object }>>>
  >;
};

const { paths } = JSON.parse(await readRootFile("test/openapi.json")) as Document;
const ours = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { responses }]) => [routeKey(method, path), responses] as const,
    ),
  ),
);

test("every route has the success status that clients take, and a read besides at most that there is nothing, or nothing new", () => {
  const known = wireOperations.flatMap(({ method, path, answers }) => {
    const responses = ours.get(routeKey(method, path));
    if (responses === undefined) return [];
    const empty = method === "GET" ? [204, 304] : [];
    const successes = Object.keys(responses)
      .map(Number)
      .filter((status) => status < 400 && !empty.includes(status));
    return [{ what: `${method} ${path}`, taken: [...answers.keys()], successes }];
  });
  expect(known.length).toBeGreaterThan(150);
  const others = known.filter(({ taken, successes }) => taken.join() !== successes.join());
  expect(others).toEqual([]);
});
