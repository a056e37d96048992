import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "../json-value.ts";
import { renderTemplate } from "../render-template.ts";

const svc: JsonObject = {
  a: "text",
  n: 5,
  one: 1,
  f: 2.5,
  t: true,
  nul: null,
  e: "",
  l: ["x", "y", "z"],
  ln: [1, null, "b"],
  el: [],
  m: { b: 1, a: "q", c: null },
  em: {},
  u: "Straße äöü",
  odd: 'a"b\\c\n\u0001é😀',
  deep: { a: { b: { c: 7 } } },
  mixed: [{ a: [1, { b: [] }], c: {} }, "x", null, true, 2.5],
};

/**
 * A pipeline or a text; what Go's text/template with sprig 3.3 wrote of it, null where that failed; and what ours writes, where that is
 * something else: docs/app-config.md says why.
 */
const cases = z
  .array(z.tuple([z.string(), z.string().nullable(), z.string().nullable().optional()]))
  .parse(JSON.parse(readFileSync(new URL("sprig-cases.json", import.meta.url), "utf8")));

const rendered = (one: string) => {
  const text = one.includes("{{") ? one : `{{ index (list (${one}) .svc) 0 | toJson }}`;
  return renderTemplate(text, { svc }, { file: "f", member: "m" }).text ?? null;
};

test.each(cases)("%s", (one, ofGo, ours) => {
  expect(rendered(one)).toBe(ours === undefined ? ofGo : ours);
});

test("few differ from Go's, and are all told", () => {
  expect(cases.length).toBeGreaterThan(200);
  expect(cases.filter(([, ofGo, ours]) => ours === ofGo)).toEqual([]);
  expect(cases.filter(([, , ours]) => ours !== undefined).length).toBeLessThan(30);
});
