import { expect, test } from "vitest";
import { hclText } from "./hcl-text.ts";

test.each([
  ["plain", '"plain"'],
  ['say "hi"\n', String.raw`"say \"hi\"\n"`],
  ["${path.cwd} %{ if true }", '"$${path.cwd} %%{ if true }"'],
  ["$1 100% {}", '"$1 100% {}"'],
  ["<<EOT\n${x}\nEOT", '"<<EOT\\n$${x}\\nEOT"'],
  ["\b\\b\f", String.raw`"\u0008\\b\u000c"`],
])("%j is a text in which nothing is evaluated", (text, hcl) => {
  expect(hclText(text)).toBe(hcl);
});
