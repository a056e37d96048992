import { describe, expect, test } from "vitest";
import { JobFailure } from "../jobs/job-failure.ts";
import { readYaml } from "../kubernetes/read-yaml.ts";
import { readPlanState, renderTexts } from "./render-texts.ts";

const member = {
  state: { inputs: { inputs: { level: 3, password: "hunter-2-hunter" } } },
  state_sensitive: { inputs: { inputs: { password: true } } },
};
type Given = { readonly file?: string; readonly given?: unknown; readonly plan?: object };

async function rendered(
  text: string,
  { file = "map.yaml", given = member, plan = {} }: Given = {},
) {
  const secrets: string[] = [];
  const job = { addSecret: (secret: string) => void secrets.push(secret) };
  const [made] = await renderTexts(job, [{ name: file, text }], readPlanState(given, plan));
  return { text: made?.text, secrets };
}

/** A state with these inputs. */
const inputs = (values: object) => ({ state: { inputs: { inputs: values } } });
const read = (name: string): string => `{{ .svc.inputs.inputs.${name} }}`;

describe("a file of an artifact", () => {
  test("is rendered with what its plan knows, by each name that svc has", async () => {
    const text = "level: {{ .svc.inputs.inputs.level }}\nhelm: '{{ .Values.level }}'\n";
    expect((await rendered(text)).text).toBe("level: 3\nhelm: '{{ .Values.level }}'\n");
    const branded = "level: {{ .acme.inputs.inputs.level }}";
    expect((await rendered(branded, { plan: { brands: ["acme"] } })).text).toBe("level: 3");
  });

  test("stays as it is where the plan knows nothing for it", async () => {
    const text = "level: {{ .svc.inputs.inputs.level }}";
    for (const given of [{}, { state: null }, null])
      expect((await rendered(text, { given })).text).toBe(text);
  });

  test("has what is made of sensitive values kept out of logs, also what such a value decides", async () => {
    const { text, secrets } = await rendered("key: {{ .svc.inputs.inputs.password | b64enc }}");
    expect(text).toBe("key: aHVudGVyLTItaHVudGVy");
    expect(secrets).toContain("aHVudGVyLTItaHVudGVy");
    const block = `{{ if ${read("password").slice(3, -3)} }}a: "${read("level")} pieces"{{ end }}`;
    expect(await rendered(block)).toMatchObject({
      text: 'a: "3 pieces"',
      secrets: expect.arrayContaining(['a: "3 pieces"']) as string[],
    });
  });

  test("that reads what is not there is refused by its name and line", async () => {
    const act = rendered("a: 1\nb: {{ .svc.inputs.inputs.size }}\nc: {{ .svc.labels.x }}\n");
    const failure = await failureOf(act);
    expect(failure.message).toMatch(
      /^map\.yaml:2: \.svc\.inputs\.inputs\.size is missing.*\nmap\.yaml:3: /,
    );
    expect(failure.metadata).toMatchObject({ class: "missing_value" });
    const bad = rendered("a: {{ .svc.inputs.inputs.level | fromJson | toJson | upper 1 }}");
    expect((await failureOf(bad)).metadata).toMatchObject({ class: "render_failed" });
  });
});

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
});

describe("a value in a file of variables", () => {
  const file = "x.tfvars";

  test("is one literal, or a part of its text; a heredoc is a text", async () => {
    const list = ["x", { k: "%{" }];
    const given = inputs({ v: 'a"${b}\n', n: 3, list, key: "who", yes: "true" });
    const text = [
      `a = ${read("v")} # ${read("v")}`,
      `b = "x-${read("v")}$"`,
      `n = ${read("n")}`,
      `l = ${read("list")}`,
      "q = {{ .svc.inputs.inputs.key | quote }}",
      `y = ${read("yes")}`,
      `m = { ${read("key")} = "1", k-${read("key")} = 8${read("n")} }`,
      "h = <<-EOT",
      `    one $\${x} ${read("key")}`,
      '      "two"',
      "  EOT",
      "last = 1",
    ].join("\n");
    const made = await rendered(text, { file, given });
    expect(made.text?.split("\n")).toEqual([
      String.raw`a = "a\"\u0024\u007bb}\n" # a_b_`,
      String.raw`b = "x-a\"\u0024\u007bb}\n$"`,
      "n = 3",
      String.raw`l = ["x", { "k" = "\u0025\u007b" }]`,
      'q = "who"',
      "y = true",
      'm = { who = "1", k-who = 83 }',
      `h = "one $\${x} who${String.raw`\n  \"two\"\n"`}`,
      "",
      "",
      "",
      "last = 1",
    ]);
  });

  test.each([`a = b-${read("v")}`, `a = "\${f("y")} ${read("v")}"`])(
    "is refused where it cannot be one, by its line: %s",
    async (text) => {
      const act = rendered(`b = 1\n${text}\n`, { file, given: inputs({ v: "x" }) });
      const failure = await failureOf(act);
      expect(failure.message).toMatch(/^x\.tfvars:2: /);
      expect(failure.metadata).toMatchObject({ class: "render_failed" });
    },
  );
});

async function failureOf(act: Promise<unknown>): Promise<JobFailure> {
  try {
    await act;
  } catch (error) {
    if (error instanceof JobFailure) return error;
    throw error;
  }
  throw new Error("nothing failed");
}
