import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { quoteText } from "../../shared/app-config/templates/functions/quote-text.ts";
import { failureOf, inputs, read, rendered } from "../../test/support/templates/rendered-text.ts";
import { readYaml } from "../kubernetes/read-yaml.ts";

/** Texts that would be more than a text where they are put as they are. */
const evil: readonly string[] = [
  "a: b",
  "x\nadmin: true",
  '" \nadmin: true #',
  "' \nadmin: true #",
  "{admin: true}",
  '{"admin": true}',
  "[1, 2]",
  "- one",
  "*anchor",
  "&a b",
  "!!binary aa",
  "---\nadmin: true",
  "--- a",
  "a # b",
  "{{ .Values.x }}",
  "${1 + 1}",
  "$${a}",
  "$",
  "%{ if true }",
  "{",
  'a" b = "c',
  "EOT\nadmin = true",
  "a\\",
  "\u2028\u0085\u007F\u0007\t",
  " padded ",
  "",
  "*/ admin = 1",
  String.raw`C:\bin\foo \\b \u0041`,
  "12e456",
  "1e23",
  "0.10",
  "12345678901234567890",
  "0x10",
  "no",
  "y",
  "null",
  "True",
  ".inf",
  "1_000",
  " 3 ",
];

describe("a value in YAML", () => {
  const quotes = {
    plain: read("v"),
    double: `"a ${read("v")} b"`,
    single: `'a ${read("v")} b'`,
    beside: `a${read("v")}`,
    made: `{{ .svc.inputs.inputs.v | b64enc | b64dec }} b`,
  };
  const text = `${Object.entries(quotes)
    .map(([name, one]) => `${name}: ${one}`)
    .join("\n")}
flow: [${read("v")}, {b: ${read("v")}}] # ${read("v")}
literal: |
  first
  ${read("v")}
folded: >-
  ${read("v")}
"k${read("v")}": 1
last: 1
`;

  test.each(evil)("stays within its place: %j", async (v) => {
    const made = await rendered(text, { given: inputs({ v }) });
    const [only, ...others] = await readYaml(made.text ?? "");
    expect(others).toEqual([]);
    expect(only?.value).toEqual({
      plain: v,
      double: `a ${v} b`,
      single: `a ${v} b`,
      beside: `a${v}`,
      made: `${v} b`,
      flow: [v, { b: v }],
      literal: `first\n${v}\n`,
      folded: v,
      [`k${v}`]: 1,
      last: 1,
    });
    expect(made.text?.split("\n")).toHaveLength(text.split("\n").length);
  });

  test.each(["no", "y", "null", "True", "0x10", "0o17", ".inf", "1e5", "0.10", "~", "1_0"])(
    "is a text in YAML 1.2, too, and where it is a part of a word: %s",
    async (v) => {
      const given = inputs({ v, end: v.slice(1) });
      const text = `a: ${read("v")}\nb: ${v.slice(0, 1)}${read("end")}\n`;
      const { text: made } = await rendered(text, { given });
      for (const version of ["1.1", "1.2"] as const)
        expect(parse(made ?? "", { version })).toEqual({ a: v, b: v });
    },
  );

  test("has the type that it has by itself; lists, maps and blocks are those of the template", async () => {
    const given = inputs({
      n: "3",
      yes: true,
      list: ["a: b", 2],
      map: { "x y": "z" },
      key: "who",
      cert: "one\n  two\nthree",
    });
    const { text: made } = await rendered(
      `three: ${read("n")}
right: ${read("yes")}
list: ${read("list")}
map: {{ .svc.inputs.inputs.map | toPrettyJson | nindent 2 }}
quoted: {{ .svc.inputs.inputs.key | quote }}
single: {{ .svc.inputs.inputs.key | squote }}
${read("key")}: it
{{- if .svc.inputs.inputs.yes }}
block:
{{- range $name, $one := .svc.inputs.inputs.map }}
  {{ $name }}: {{ $one }}
{{- end }}
{{- end }}
cert: |
{{ .svc.inputs.inputs.cert | indent 4 }}
`,
      { given },
    );
    const [only] = await readYaml(made ?? "");
    expect(only?.value).toEqual({
      three: 3,
      right: true,
      list: ["a: b", 2],
      map: { "x y": "z" },
      quoted: "who",
      single: "who",
      who: "it",
      block: { "x y": "z" },
      cert: "one\n  two\nthree\n",
    });
  });

  test("that makes a key twice, or stands where there is no YAML, is refused by its line", async () => {
    const twice = rendered(`a: 1\n${read("v")}: 2\n`, { given: inputs({ v: "a" }) });
    expect((await failureOf(twice)).message).toContain("map.yaml:2: ");
    const none = rendered(`a: 1\nb: [${read("v")}\n`, { given: inputs({ v: "a" }) });
    expect((await failureOf(none)).metadata).toMatchObject({ class: "render_failed" });
  });
});

describe("a value in JSON", () => {
  test.each(evil)("stays within its place: %j", async (v) => {
    const text = `{"a": ${read("v")}, "b": "x ${read("v")}", "${read("v")}": [1, ${read("n")}]}`;
    const given = inputs({ v, n: ["a"] });
    const { text: made = "" } = await rendered(text, { file: "a.tfvars.json", given });
    expect(JSON.parse(made)).toEqual({ a: v, b: `x ${v}`, [v]: [1, ["a"]] });
  });

  const pipes: readonly (readonly [string, (v: string) => unknown])[] = [
    ["trim", (v) => v.trim()],
    ['default "x"', (v) => v || "x"],
    ["quote", (v) => v],
    ["squote", (v) => v],
    ["toJson", (v) => v],
    ["toJson | indent 2", (v) => v],
    ["quote | nindent 2", (v) => v],
    ["quote | toJson", quoteText],
    ["list | toPrettyJson | nindent 2", (v) => [v]],
  ];
  const letters = ['{"admin": true}', "[1]", "null", '"x"', "\u0001\u0007\\", "a' 'b"];
  test.each(letters)("is the same text when functions have passed it on: %j", async (v) => {
    for (const [pipe, made] of pipes) {
      const at = `{{ .svc.inputs.inputs.v | ${pipe} }}`;
      const given = inputs({ v });
      const json = await rendered(`{"v": ${at}}`, { file: "a.json", given });
      expect({ pipe, json: JSON.parse(json.text ?? "") as unknown }).toEqual({
        pipe,
        json: { v: made(v) },
      });
      const yaml = await rendered(`v: ${at}`, { given });
      expect({ pipe, yaml: parse(yaml.text ?? "") as unknown }).toEqual({
        pipe,
        yaml: { v: made(v) },
      });
    }
  });

  test.each([
    [`"a\\${read("v")}"`, "a template stands after a backslash"],
    [`${read("v")} 2`, "with its templates it is not JSON"],
    [`"\\u${read("v")}"`, "with its templates it is not JSON"],
  ])("is refused where it cannot be one: %s", async (text, words) => {
    const act = rendered(`{\n"a": ${text}}`, { file: "a.json", given: inputs({ v: "x" }) });
    expect((await failureOf(act)).message).toMatch(new RegExp(`^a\\.json:\\d: ${words}`));
    const even = `{"a": "\\\\${read("v")}"}`;
    const made = await rendered(even, { file: "a.json", given: inputs({ v: '"' }) });
    expect(JSON.parse(made.text ?? "")).toEqual({ a: '\\"' });
  });
});
