import { expect, test } from "vitest";
import { hclTokens } from "./hcl-tokens.ts";

test("pieces of a file of variables are all of its text, also where heredocs do not end", () => {
  const open = Array.from({ length: 100_000 }, (_, at) => `<<A${at}\n`).join("");
  const text = `a = "b\\"<<EOT" # <<EOT\nc = <<-EOT\r\n  "d\n EOT x\n  EOT\r\n/* "e\n*/ EOT ${open}"f`;
  const tokens = [...hclTokens(text)];
  expect(tokens.map((token) => token.text).join("")).toBe(text);
  expect(tokens.every((token) => text.startsWith(token.text, token.at))).toBe(true);
  const kinds = ["quoted", "comment", "heredoc"];
  expect(tokens.filter(({ kind }) => kinds.includes(kind))).toMatchObject([
    { kind: "quoted", text: '"b\\"<<EOT"' },
    { kind: "comment", text: "# <<EOT" },
    { kind: "heredoc", lines: '  "d\n EOT x\n', isFlush: true },
    { kind: "comment", text: '/* "e\n*/' },
    { kind: "quoted", text: '"f' },
  ]);
});
