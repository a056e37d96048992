import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "./json-value.ts";
import { renderTemplate, renderValue } from "./render-template.ts";
import type { Sensitive } from "./taint.ts";

const place = { file: "actions/say.toml", member: "steps[0].command" };
const sensitive: Sensitive = {
  svc: { inputs: { inputs: { secret: true } }, app: { variables: { key: true } } },
};

const stateWith = (secret: Json): JsonObject => ({
  svc: {
    name: "acme",
    n: 7,
    empty: "",
    list: ["x", "y", "hunter22"],
    map: { a: 1, hunter22: 2 },
    inputs: { inputs: { secret, open: "world" } },
    app: { variables: { key: secret } },
  },
});

const render = (text: string, secret: Json = "hunter22") =>
  renderTemplate(text, stateWith(secret), place, { sensitive });
const twinOf = (text: string, secret?: Json) => {
  const rendered = render(text, secret);
  if (rendered.faults !== undefined) throw new Error(JSON.stringify(rendered.faults));
  return rendered.masked?.twin ?? rendered.text;
};
const given = "$.svc.inputs.inputs.secret";

describe("the twin of a text", () => {
  test.each([
    ["a {{ .svc.inputs.inputs.open }} b {{ S }} c", "a world b (secret) c"],
    [
      "{{ S | upper }} {{ sha256sum S }} {{ printf `%x` S }} {{ len S }}",
      "(secret) (secret) (secret) (secret)",
    ],
    ["{{ .svc.app.variables.key | trunc 2 }}.", "(secret)."],
    ["{{ if eq S `hunter22` }}yes{{ else }}no{{ end }}!", "(secret)!"],
    ["{{ if eq S `other` }}yes{{ end }}!", "(secret)!"],
    ["{{ if S }}{{ else }}no{{ end }}!", "(secret)!"],
    ["{{ with S }}{{ . }}{{ $.svc.n }}{{ else }}no{{ end }}!", "(secret)!"],
    ["{{ range split `` S }}{{ . }}-{{ end }}!", "(secret)!"],
    ["{{ range .svc.list }}{{ . }}={{ S }};{{ end }}", "x=(secret);y=(secret);hunter22=(secret);"],
    ["{{ range .svc.list }}{{ if eq . S }}1{{ end }},{{ end }}", "(secret),(secret),(secret),"],
    ["{{ if .svc.empty }}a{{ else if S }}b{{ else }}c{{ end }}", "(secret)"],
    ["{{ if .svc.name }}a{{ else if S }}b{{ else }}c{{ end }}", "a"],
    ["{{ $x := S }}{{ $y := .svc.n }}{{ $x }} {{ $y }}", "(secret) 7"],
    ["{{ $x := .svc.n }}{{ if S }}{{ $x = 2 }}{{ end }}{{ $x }}", "(secret)(secret)"],
    ["{{ $x := .svc.n }}{{ if not S }}{{ $x = 2 }}{{ end }}{{ $x }}", "(secret)(secret)"],
    [
      "{{ $x := .svc.n }}{{ if S }}{{ range .svc.list }}{{ if . }}{{ $x = 2 }}{{ end }}{{ end }}{{ end }}{{ $x }}",
      "(secret)(secret)",
    ],
    ["{{ $x := .svc.n }}{{ if S }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "(secret)7"],
    ["{{ if $x := S }}{{ end }}", "(secret)"],
    [
      "{{ $d := dict `o` .svc.n }}{{ $_ := set $d `s` S }}{{ $d.o }} {{ $d.s }} {{ $d }}",
      "7 (secret) (secret)",
    ],
    [
      "{{ $d := dict `o` (dict `p` .svc.n) }}{{ $_ := set $d.o `s` S }}{{ $d.o.p }} {{ $d.o.s }}",
      "7 (secret)",
    ],
    [
      "{{ $d := dict `o` .svc.n }}{{ if S }}{{ $_ := set $d `o` 8 }}{{ end }}{{ $d.o }}",
      "(secret)(secret)",
    ],
    [
      "{{ $d := dict `o` (dict `p` 1) `n` .svc.n }}{{ if not S }}{{ set $d.o `p` 8 }}{{ end }}{{ $d.n }}",
      "(secret)(secret)",
    ],
    ["{{ $d := dict `o` .svc.n }}{{ $_ := set $d S 1 }}{{ $d.o }}", "(secret)"],
    [
      "{{ $l := append (list .svc.n) S }}{{ index $l 0 }} {{ index $l 1 }} {{ index (slice $l 1) 0 }} {{ index (slice $l 0 1) 0 }}",
      "7 (secret) (secret) 7",
    ],
    ["{{ $l := values (dict `b` S `a` .svc.n) }}{{ index $l 0 }} {{ index $l 1 }}", "7 (secret)"],
    [
      "{{ dig `inputs` `open` 0 .svc.inputs }} {{ dig `inputs` `secret` 0 .svc.inputs }} {{ dig S 0 .svc.inputs }}",
      "world (secret) (secret)",
    ],
    [
      "{{ print S 1 }} {{ substr 0 2 S }} {{ kindIs `string` S }} {{ toPrettyJson S }}",
      "(secret) (secret) (secret) (secret)",
    ],
    ["{{ or S `a` }} {{ or `a` S }} {{ and S `a` }} {{ and `` S }}", "(secret) a (secret) "],
    ["{{ default `a` S }} {{ coalesce `a` S }} {{ coalesce .svc.x S }}", "(secret) a (secret)"],
    ["{{ ternary `a` `b` (eq S `x`) }} {{ not S }} {{ not .svc.n }}", "(secret) (secret) false"],
    ["{{ index .svc.map S }} {{ index .svc.map `a` }}", "(secret) 1"],
    [
      "{{ $l := list S 5 }}{{ index $l 0 }} {{ index $l 1 }} {{ $l }} {{ len $l }}",
      "(secret) 5 (secret) (secret)",
    ],
    [
      "{{ $d := dict `s` S `p` 5 }}{{ $d.s }} {{ $d.p }} {{ $d }} {{ toJson $d }}",
      "(secret) 5 (secret) (secret)",
    ],
    [
      "{{ $d := dict S 5 }}{{ $d.a | default 1 }} {{ range $k, $v := $d }}{{ $k }}{{ end }}",
      "(secret) (secret)",
    ],
    [
      "{{ .svc.inputs.inputs }} {{ .svc.inputs.inputs.open }} {{ index .svc.inputs.inputs `open` }}",
      "(secret) world world",
    ],
    ["{{ with .svc.inputs.inputs }}{{ .open }} {{ .secret }}{{ end }}", "world (secret)"],
    [
      "{{ range $k, $v := .svc.inputs.inputs }}{{ $k }}={{ $v }};{{ end }}",
      "open=world;secret=(secret);",
    ],
    ["{{ with .svc.inputs }}{{ range .inputs }}{{ . }};{{ end }}{{ end }}", "world;(secret);"],
    ["{{ required `say` S }} {{ (fromJson (printf `{%q: 1}` S)).hunter22 }}", "(secret) (secret)"],
  ])("%s", (text, twin) => {
    expect(twinOf(text.replaceAll("S", given))).toBe(twin);
  });

  test("comes from the same rendering, which gives the text itself, too", () => {
    const { text, masked } = render(
      "{{ if .svc.inputs.inputs.secret }}[{{ .svc.app.variables.key | upper }}]{{ end }}",
    );
    expect(text).toBe("[HUNTER22]");
    expect(masked).toEqual({ twin: "(secret)", secrets: ["HUNTER22", "[HUNTER22]"] });
  });

  test("is there only where something sensitive shows; what others write alike stays readable", () => {
    expect(render("{{ .svc.list }} hunter22")).toEqual({
      text: '["x","y","hunter22"] hunter22',
    });
  });

  test("of an input that has many values is masked below all of them", () => {
    const secret = { user: "somebody", words: ["one-of-them", 5] };
    const text =
      "{{ .svc.inputs.inputs.secret.words }} {{ .svc.inputs.inputs.secret.none | default 1 }}";
    expect(render(text, secret).masked).toEqual({
      twin: "(secret) (secret)",
      secrets: ['["one-of-them",5]', "one-of-them"],
    });
  });
});

test("the twin of a value has a text for what is sensitive, whatever kind that is", () => {
  const value = {
    n: "{{ .svc.n }}",
    s: "{{ .svc.inputs.inputs.secret }}",
    deep: [{ len: "{{ len .svc.app.variables.key }}", text: "a {{ .svc.app.variables.key }}" }, 7],
    all: "{{ .svc.inputs.inputs }}",
    block: "{{ if .svc.inputs.inputs.secret }}5{{ end }}",
  };
  const rendered = renderValue(value, stateWith("hunter22"), place, { sensitive });
  expect(rendered.value).toEqual({
    n: 7,
    s: "hunter22",
    deep: [{ len: 8, text: "a hunter22" }, 7],
    all: { secret: "hunter22", open: "world" },
    block: "5",
  });
  expect(rendered.masked).toEqual({
    twin: {
      n: 7,
      s: "(secret)",
      deep: [{ len: "(secret)", text: "a (secret)" }, 7],
      all: "(secret)",
      block: "(secret)",
    },
    secrets: ["hunter22", '{"open":"world","secret":"hunter22"}'],
  });
  expect(renderValue({ n: "{{ .svc.n }}" }, stateWith("hunter22"), place, { sensitive })).toEqual({
    value: { n: 7 },
  });
});

describe("a fault that something sensitive has a say in", () => {
  const masked = { code: "render_failed", ...place, path: null, provider: null };
  test.each([
    ["{{ int S }}", 1],
    ["\n{{ required S .svc.none }}", 2],
    ["{{ index .svc.list (len S) }}", 1],
    ["{{ upper S }}\n\n{{ index .svc.list S }}", 1],
    ["{{ if eq S `hunter22` }}\n{{ .svc.none }}\n{{ else }}{{ upper $.svc.n }}{{ end }}", 1],
    ["a\n{{ range $c := split `` S }}\n{{ upper $.svc.n }}{{ end }}", 2],
    ["a\n{{ or (eq S `x`) (upper $.svc.n) }}", 2],
    ["{{ $x := int S }}\n{{ upper (printf `%s` $x 5) }}", 1],
    ["{{ S.below }}", 1],
  ])("tells where that begins, and no more: %s", (text, line) => {
    const { faults } = render(text.replaceAll("S", given));
    expect(faults).toMatchObject([{ ...masked, line }]);
    expect(faults?.[0]?.detail).toContain("sensitive");
    expect(JSON.stringify(faults)).not.toMatch(/hunter|none|upper|takes/);
  });

  test("is told only where no other is wrong", () => {
    const text = "{{ int .svc.app.variables.key }}\n{{ .svc.none }}";
    expect(render(text).faults).toMatchObject([{ code: "missing_value", line: 2 }]);
    expect(render(text, "5").faults).toEqual(render(text).faults);
  });

  test("and other faults are told as ever", () => {
    expect(render("{{ printf `%s` (upper 5) .svc.app.variables.key }}").faults).toMatchObject([
      { detail: "upper takes a text, not a number" },
    ]);
    expect(render("{{ upper .svc.inputs.inputs }}").faults?.[0]?.detail).toContain("sensitive");
  });

  test("hides which text of a value it was, and that its work was too much", () => {
    const { faults } = renderValue(
      ["{{ .svc.app.variables.key }}", "{{ upper 5 | default .svc.app.variables.key }}"],
      stateWith("hunter22"),
      place,
      sensitive,
    );
    expect(faults).toMatchObject([{ detail: "upper takes a text, not a number" }]);
    const loops =
      "{{ range split `` (indent 900 S) }}{{ range split `` (indent 2000 S) }}{{ end }}{{ end }}";
    const text = `{{ S }}\n${loops}`.replaceAll("S", given);
    const failed = render("{{ S }}\n{{ int S }}".replaceAll("S", given));
    expect(render(text).faults).toEqual(failed.faults);
  });
});
