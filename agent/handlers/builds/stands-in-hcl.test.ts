import { expect, test } from "vitest";
import { standsInHcl } from "./stands-in-hcl.ts";
import { placehold } from "./template-placeholders.ts";

const read = "{{ .svc.inputs.inputs.x }}";
const good: readonly string[] = [
  `a = "x-${read}" # ${read}`,
  `a = ${read}\nb = { c = ${read}, "d ${read}" = 1 }`,
  `a = <<-EOT\n  ${read}\n  EOT\n`,
  'a = "{{/* note */}}{{ .svc.inputs.inputs.x }}"',
];
const bad: readonly string[] = [
  `{{ $x := .svc.inputs.inputs.x }}\na = "{{ $x }}"`,
  `{{/* note */}}\na = ${read}`,
  `${read} = 1`,
  `a = 1\n${read}\n`,
  `a = ${read} ${read}`,
  `a = ${read}x`,
  `a = [${read}]`,
  `a = <<EOT\n${read}\n`,
  `a = {{/* note */}}\nb = "${read}"`,
];

test.each([
  ...good.map((text) => [text, true] as const),
  ...bad.map((text) => [text, false] as const),
])("a file of variables with words for templates is one, or not: %j", (text, isOne) => {
  const held = placehold(text);
  expect(held).toMatchObject({ hasTemplates: true, hasBlocks: false });
  expect(standsInHcl(held)).toBe(isOne);
});
