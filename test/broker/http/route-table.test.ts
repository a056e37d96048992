import { TrieRouter } from "hono/router/trie-router";
import { expect, test } from "vitest";
import { RouteTable } from "../../../broker/http/route-table.ts";
import { endpoints } from "../../support/broker/route-rules.ts";

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "LOCK", "UNLOCK"];

/** A path that the route has, and others that are nearly like it. */
const pathsLike = (template: string): string[] => [
  template.replaceAll(/\{\w+\}/g, "abc"),
  template.replaceAll(/\{\w+\}/g, "jobs"), // a word that other paths have in that place
  template.replaceAll(/\{\w+\}/g, "a%2Fb"),
  template.replaceAll(/\{\w+\}/g, ""),
  template.replaceAll(/\{\w+\}/g, "__proto__"),
  `${template}/`,
  `${template}/more`,
  `/${template}`,
  template.slice(1),
];

test("the table finds every route of the broker, and what has none, as Hono's own router does", () => {
  const theirs = new TrieRouter<string>();
  const ours = new RouteTable<string>();
  for (const { method, path, operationId } of endpoints) {
    const spelled = path.replaceAll(/\{(\w+)\}/g, ":$1");
    theirs.add(method.toUpperCase(), spelled, operationId);
    ours.add(method.toUpperCase(), spelled, operationId);
  }
  let found = 0;
  for (const path of new Set(endpoints.flatMap((one) => pathsLike(one.path)))) {
    for (const method of methods) {
      const [wanted] = theirs.match(method, path)[0];
      const [given] = ours.match(method, path)[0];
      expect([method, path, given?.[0]]).toEqual([method, path, wanted?.[0]]);
      expect(Object.entries(given?.[1] ?? {})).toEqual(Object.entries(wanted?.[1] ?? {}));
      if (given !== undefined) found += 1;
    }
  }
  expect(found).toBeGreaterThan(endpoints.length);
});

test("the table takes the route that was opened first, as Hono does, and none that it could not find", () => {
  const table = new RouteTable<string>();
  table.add("GET", "/v1/jobs/:job_id", "by id");
  table.add("GET", "/v1/jobs/events", "by word");
  table.add("GET", "/v1/runs/latest", "by word");
  table.add("GET", "/v1/runs/:run_id", "by id");
  expect(table.match("GET", "/v1/jobs/events")).toEqual([[["by id", { job_id: "events" }]]]);
  expect(table.match("GET", "/v1/runs/latest")).toEqual([[["by word", {}]]]);
  expect(table.match("POST", "/v1/runs/latest")).toEqual([[]]);
  expect(() => table.add("GET", "/v1/runs/latest", "again")).toThrow("opened twice");
  expect(() => table.add("GET", "/v1/*", "any")).toThrow("words and parameters");
  expect(() => table.add("ALL", "/v1/runs", "any")).toThrow("one method");
});
