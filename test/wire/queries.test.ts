import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { type Document, routesOf } from "../support/broker/ask-route.ts";
import { routeKey, wireOperations } from "./wire-types.ts";

/** What clients narrow by and no route takes yet, and why. */
const leftOut: Readonly<Record<string, string>> = {
  "getInstall include_drifted_objects": "What has drifted is read by its own route.",
  "listInstallsOfApp app_branch_id": "Branches come later.",
};

test("each route takes the query parameters that clients send it, or has a reason why not", async () => {
  const document = JSON.parse(await readFile("test/openapi.json", "utf8")) as Document; // its own test says that it is one
  const taken = new Map(
    routesOf(document).map(({ method, path, operation }) => [
      routeKey(method, path),
      { name: operation.operationId, names: (operation.parameters ?? []).map(({ name }) => name) },
    ]),
  );
  const missing = wireOperations.flatMap(({ method, path, query }) => {
    const route = taken.get(routeKey(method, path));
    const unknown = route === undefined ? [] : query.filter((name) => !route.names.includes(name));
    return unknown.map((name) => `${route?.name ?? ""} ${name}`);
  });
  expect([...new Set(missing)].toSorted()).toEqual(Object.keys(leftOut).toSorted());
});
