import { describe, expect, test } from "vitest";
import { failureOf, inputs, read, rendered } from "../../test/support/templates/rendered-text.ts";

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

  test.each(["a.tfvars", "a.tfvars.json", "a.yaml"])(
    "has the texts within sensitive lists and maps kept out of logs, as it writes them: %s",
    async (file) => {
      const map = { key: "hunter-2-${x}", short: "abc", more: ['say "hi"'] };
      const given = { ...inputs({ map }), state_sensitive: { inputs: { inputs: { map: true } } } };
      for (const pipe of ["", "| toJson", "| toPrettyJson | nindent 2"]) {
        const at = `{{ .svc.inputs.inputs.map ${pipe} }}`;
        const text = file.endsWith("json")
          ? `{"a": ${at}}`
          : `a ${file === "a.yaml" ? ":" : "="} ${at}`;
        const { secrets } = await rendered(text, { file, given });
        expect(secrets).toEqual(expect.arrayContaining(["hunter-2-${x}", 'say "hi"']));
        expect(secrets).not.toContain("abc");
        const asHcl = String.raw`hunter-2-\u0024\u007bx}`;
        expect(secrets.includes(asHcl)).toBe(file === "a.tfvars");
      }
    },
  );

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

describe("a value in a file of variables", () => {
  const file = "x.tfvars";

  test("is one literal, or a part of its text; a heredoc is a text", async () => {
    const list = ["x", { k: "%{" }];
    const odd = { o1: "12e456", o2: "0.10", o3: "1.5", o4: "12345678901234567890", o5: -1e23 };
    const others = { path: String.raw`\bin\foo` + "\b\f", ...odd };
    const given = inputs({ v: 'a"${b}\n', n: 3, list, key: "who", yes: "true", ...others });
    const text = [
      `a = ${read("v")} # ${read("v")}`,
      `b = "x-${read("v")}$"`,
      `n = ${read("n")}`,
      `l = ${read("list")}`,
      "q = {{ .svc.inputs.inputs.key | quote }}",
      `y = ${read("yes")}`,
      `t = [${Object.keys(odd).map(read).join(", ")}]`,
      `p = "C:${read("path")}" # <<NOT`,
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
      't = ["12e456", "0.10", 1.5, "12345678901234567890", -1e+23]',
      String.raw`p = "C:\\bin\\foo\u0008\u000c" # <<NOT`,
      'm = { who = "1", k-who = 83 }',
      `h = "one $\${x} who${String.raw`\n  \"two\"\n"`}`,
      "",
      "",
      "",
      "last = 1",
    ]);
  });

  test.each([
    `a = b-${read("v")}`,
    `a = "\${f("y")} ${read("v")}"`,
    `a = "\\${read("v")}"`,
    `a = ${read("huge")}`,
    `a = [${read("v")}-]`,
  ])("is refused where it cannot be one, by its line: %s", async (text) => {
    const given = inputs({ v: "x", huge: Infinity }); // of 1e999 in JSON
    const act = rendered(`b = 1\n${text}\n`, { file, given });
    const failure = await failureOf(act);
    expect(failure.message).toMatch(/^x\.tfvars:2: /);
    expect(failure.metadata).toMatchObject({ class: "render_failed" });
  });
});
