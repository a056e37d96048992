import { expect, test } from "vitest";
import { valuesAt } from "./values-at.ts";

test("a path finds members, items, all items and quoted names, and nothing where nothing is", () => {
  const object = {
    metadata: { labels: { "app.kubernetes.io/name": "web" } },
    spec: { ports: [{ port: 80 }, { port: 443 }] },
  };
  expect(valuesAt(object, "{.spec.ports[*].port}")).toEqual([80, 443]);
  expect(valuesAt(object, "$.spec.ports[1].port")).toEqual([443]);
  expect(valuesAt(object, ".metadata.labels['app.kubernetes.io/name']")).toEqual(["web"]);
  expect(valuesAt(object, ".spec.none.such")).toEqual([]);
});
