import { expect, test } from "vitest";
import { renderTemplate, renderValue, renderWhatCan } from "./render-template.ts";
import { quickBudget, RenderWork } from "./render-work.ts";

const place = { file: "f", member: "m" };
const svc = { a: "a" };

test("a text that would be too long spends a small budget, too", () => {
  const work = new RenderWork(quickBudget);
  renderTemplate("{{ $x := indent 9000000 .svc.a }}", { svc }, place, { work });
  expect(work.isSpent).toBe(true);
});

test.each([
  ["a template", (text: string, by: object) => renderTemplate(text, { svc }, place, by)],
  ["a value", (text: string, by: object) => renderValue([{ a: text }], { svc }, place, by)],
  ["a readme", (text: string, by: object) => renderWhatCan(text, { svc }, place, by)],
])("%s that is too long itself is a fault, and spends its budget", (_, render) => {
  const work = new RenderWork(quickBudget);
  const { faults } = render("x".repeat(quickBudget.outputBytes + 1), { work });
  expect(faults).toMatchObject([
    { code: "render_failed", detail: "a text of it would be longer than 262144 bytes" },
  ]);
  expect(work.isSpent).toBe(true);
});
