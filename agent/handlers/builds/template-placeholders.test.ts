import { expect, test } from "vitest";
import { placehold } from "./template-placeholders.ts";

test("a template that reads .svc has a word in its place, and every line its number", () => {
  const text = "a: {{ .svc.install.id }}\nb: {{ .svc.app.id\n}}\nc: {{ .acme.org.id }}";
  const held = placehold(text, ["acme"]);
  expect(held).toEqual({
    text: "a: 1\nb: 1\n\nc: 1",
    hasTemplates: true,
    hasBlocks: false,
    places: [3, 8, 14],
  });
  const chosen = "{{ if .svc.install.id }}\na: 1\n{{ end }}";
  expect(placehold(chosen)).toMatchObject({ hasTemplates: true, hasBlocks: true });
});

test("a text whose templates are somebody else's stays as it is", () => {
  const text = "a: '{{ .Values.x }}'\nb: '{{ upper `y` }}'";
  expect(placehold(text)).toMatchObject({ text, hasTemplates: false, hasBlocks: false });
});
