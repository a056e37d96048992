import { expect, test } from "vitest";
import type { JsonObject } from "./json-value.ts";
import { renderTemplate } from "./render-template.ts";

const numbers = Array.from({ length: 2_000 }, (_, at) => at);
const many = Object.fromEntries(numbers.map((at) => [`k${at}`, at]));
const svc: JsonObject = { a: "a", big: "x".repeat(2 ** 20), numbers, many };
const steps = "it takes more than 1000000 steps";
const letters = "a text of it would be longer than 16777216 bytes";
const loop = (action: string) => `{{ range .svc.numbers }}${action}{{ end }}`;

test.each([
  [
    "a list that grows",
    `{{ $x := .svc.numbers }}${loop("{{ $x = append $x $x }}".repeat(2))}`,
    steps,
  ],
  [
    "a map that grows",
    `{{ $x := .svc.many }}${loop('{{ $_ := set $x (print "n" .) $x }}')}`,
    steps,
  ],
  [
    "a map in a map that grows",
    `{{ $x := dict "m" .svc.many }}${loop('{{ $_ := set $x.m (print "n" .) $x }}')}`,
    steps,
  ],
  ["values", loop("{{ $x := values $.svc.many }}".repeat(2)), steps],
  ["slices", loop("{{ $x := slice $.svc.numbers 1 }}".repeat(3)), steps],
  [
    "lines that are moved in",
    `{{ $x := list .svc.a }}${"{{ $x = list $x $x $x $x $x $x }}".repeat(7)}{{ toPrettyJson $x }}`,
    steps,
  ],
  ["a text that is printed", `{{ print ${".svc.big ".repeat(17)} }}`, letters],
])("%s: what it has in the end is counted, however it came to it", (_, text, detail) => {
  const { faults } = renderTemplate(text, { svc }, { file: "f", member: "m" });
  expect(faults?.map((fault) => fault.detail)).toEqual([detail]);
});
