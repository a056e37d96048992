import { expect, test } from "vitest";
import { graphvizOf } from "./graphviz-of.ts";

test("a graph is drawn with arrows to what is needed, and quotes in names are kept as they are", () => {
  const edges = [
    { from: { type: "component", name: "api" }, to: "db", declared: true },
    { from: { type: "action", name: 'say "hi"' }, to: "api", declared: false },
  ] as const;
  expect(graphvizOf({ order: ["db", "api"], edges })).toBe(`digraph config {
  "component db";
  "component api";
  "component api" -> "component db";
  "action say \\"hi\\"" -> "component api" [style=dashed];
}
`);
});
