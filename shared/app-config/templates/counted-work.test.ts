import { expect, test } from "vitest";
import { renderTemplate } from "./render-template.ts";
import { RenderWork } from "./render-work.ts";

const place = { file: "f", member: "m" };
const numbers = Array.from({ length: 2_000 }, (_, at) => at);
const svc = { a: "a", numbers };
const loop = (action: string) => `{{ range .svc.numbers }}${action}{{ end }}`;

test("a path that grows with each turn of a loop is known no further than values have levels", () => {
  const turns = loop(`{{ if $x = $x${".a".repeat(400)} }}{{ end }}`);
  const work = new RenderWork();
  const text = `{{ $x := .svc.a }}${turns}{{ $x }}`;
  const { faults = [] } = renderTemplate(text, { svc }, place, { work });
  expect(faults).toMatchObject([{ code: "missing_value", path: null }]);
  expect(faults[0]?.detail).toMatch(new RegExp(`^…(?:\\.a){64} is missing`));
  expect(work.steps).toBeGreaterThan(2_000 * 50);
});

test("each variable that a sensitive value may have set counts", () => {
  const named = (sign: string): string =>
    numbers.slice(0, 100).reduce((all, at) => `${all}{{ $v${at} ${sign} $.svc.a }}`, "");
  const blocks = loop(`{{ if eq $.svc.a "b" }}${named("=")}{{ end }}`);
  const work = new RenderWork();
  const sensitive = { svc: { a: true } } as const;
  renderTemplate(named(":=") + blocks, { svc }, place, { work, sensitive });
  expect(work.steps).toBeGreaterThan(2_000 * 100);
});

test("the members of a map that a loop puts in order count before they are", () => {
  const many = Object.fromEntries(numbers.map((at) => [`k${at}`, at]));
  const work = new RenderWork({ steps: 200, outputBytes: 1_000 });
  renderTemplate("{{ range .svc.many }}{{ end }}", { svc: { many } }, place, { work });
  expect(work.steps).toBeGreaterThan(2_000 / 8);
});
