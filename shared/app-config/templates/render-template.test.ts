import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "./json-value.ts";
import { renderTemplate, renderValue } from "./render-template.ts";

const svc: JsonObject = {
  id: "inst1",
  nul: null,
  e: "",
  n: 5,
  t: true,
  list: ["x", "y"],
  none: [],
  map: { b: 1, a: "q" },
  inputs: { inputs: { domain: "a.example", size: 3 } },
  components: { "my-db": { outputs: { url: "pg://h" } }, cold: { status: "queued" } },
};
const place = { file: "components/web.toml", member: "values" };
const render = (text: string, state: JsonObject = { svc }) => renderTemplate(text, state, place);
const details = (text: string) => render(text).faults?.map(({ detail }) => detail);
const valueOf = (value: Json) => renderValue(value, { svc }, place);

describe("a text", () => {
  test.each([
    ["a {{ .svc.id }} b", "a inst1 b"],
    ["{{.svc.id}}{{$.svc.n}}", "inst15"],
    ["a\n {{-  .svc.id\t -}} \n b", "ainst1b"],
    ["{{ .svc.components.my_db.outputs.url }}", "pg://h"],
    ["{{ .svc.components.my-db.outputs.url }}", "pg://h"],
    ['{{ index .svc.components "my_db" "outputs" "url" }}', "pg://h"],
    ['{{ (index .svc.components "my-db").outputs.url }}', "pg://h"],
    ["[{{ .svc.nul }}{{ .svc.e }}]", "[]"],
    ["v={{ .svc.map }} {{ .svc.list }}", 'v={"a":"q","b":1} ["x","y"]'],
    ["{{ if .svc.e }}A{{ else if .svc.n }}B{{ else }}C{{ end }}", "B"],
    ["{{ with .svc.map }}{{ .a }}{{ $.svc.id }}{{ end }}", "qinst1"],
    ["{{ with .svc.e }}x{{ else with .svc.id }}{{ . }}{{ end }}", "inst1"],
    ["{{ range .svc.list }}{{ . }},{{ end }}", "x,y,"],
    ["{{ range $i, $v := .svc.list }}{{ $i }}{{ $v }}{{ end }}", "0x1y"],
    ["{{ range $k, $v := .svc.map }}{{ $k }}={{ $v }};{{ end }}", "a=q;b=1;"],
    ["{{ range $v := .svc.map }}{{ $v }};{{ end }}", "q;1;"],
    ["{{ range .svc.none }}x{{ else }}none{{ end }}", "none"],
    ["{{ range .svc.nul }}x{{ else }}none{{ end }}", "none"],
    ["{{- range .svc.list }}\n- {{ . }}\n{{- end }}\n", "\n- x\n- y\n"],
    ["{{ $x := .svc.id }}{{ if .svc.t }}{{ $x := .svc.n }}{{ $x }}{{ end }}{{ $x }}", "5inst1"],
    ["{{ $x := .svc.id }}{{ range .svc.list }}{{ $x = . }}{{ end }}{{ $x }}", "y"],
    ["{{ with $x := .svc.e }}{{ $x }}{{ else }}[{{ $x }}]{{ end }}", "[]"],
    ["{{ if eq (len .svc.list) 2 }}two{{ end }}", "two"],
    ['{{ "{{" }} .Values.x }}', "{{ .Values.x }}"],
    ['{{ `raw "x" \\n` }}', 'raw "x" \\n'],
    ['{{ "a\\tb\\u00e9\\x41\\101\\"" }}', 'a\tbéAA"'],
    ["{{/* .svc.id */}}{{ .svc.id }}", "{{/* .svc.id */}}inst1"],
  ])("%s", (text, rendered) => {
    expect(render(text)).toEqual({ text: rendered });
  });

  test.each([
    "{{ .Values.x | toYaml | nindent 4 }}",
    "{{- if .Values.x -}} {{ .Release.Name }} {{- else }}{{ end }}",
    "{{ request.object.metadata.name || '' }} {{ % }} {{",
    '{{ $x := "y" }}{{ $x }}{{ break }}',
    "{{ . }}{{ $ }}{{ upper . }}",
    "{{ `a` | quote }}",
  ])("keeps what is another program's: %s", (text) => {
    expect(render(text)).toEqual({ text });
  });

  test.each([
    [
      "{{ if .svc.t }}{{ .Values.a }}{{ $labels.b }}{{ $.Values.c }}{{ end }}",
      "{{ .Values.a }}{{ $labels.b }}{{ $.Values.c }}",
    ],
    [
      "{{ range .Values.l }}{{ . }}.{{ .svc.id }}{{ else }}{{ end }}",
      "{{ range .Values.l }}{{ . }}.inst1{{ else }}{{ end }}",
    ],
    [
      "{{ range .svc.list }}{{ range $.Values.l }}{{ . }}{{ break }}{{ end }}{{ . }};{{ end }}",
      "{{ range $.Values.l }}{{ . }}{{ break }}{{ end }}x;{{ range $.Values.l }}{{ . }}{{ break }}{{ end }}y;",
    ],
  ])("keeps it also around and within ours: %s", (text, rendered) => {
    expect(render(text)).toEqual({ text: rendered });
  });

  test("may read by other names", () => {
    const state = { svc, acme: svc, event: { ref: "main" } };
    expect(render("{{ .acme.id }} {{ .event.ref }}", state)).toEqual({ text: "inst1 main" });
    expect(render("{{ .acme.id }} {{ .event.ref }}")).toEqual({
      text: "{{ .acme.id }} {{ .event.ref }}",
    });
  });
});

describe("a path that leads to nothing", () => {
  test("is a fault that says who would provide it", () => {
    expect(render("a\n{{ .svc.inputs.inputs.name }}").faults).toEqual([
      {
        code: "missing_value",
        ...place,
        line: 2,
        path: ".svc.inputs.inputs.name",
        provider: { type: "input", name: "name" },
        detail: ".svc.inputs.inputs.name is missing: give the install the input name",
      },
    ]);
  });

  test.each([
    ['{{ .svc.x | default "d" }}', "d"],
    ['{{ default "d" .svc.x.y.z }}', "d"],
    ['{{ index .svc.map "x" | default "d" }}', "d"],
    ['{{ (index .svc.map "x").y | default "d" }}', "d"],
    ["{{ coalesce .svc.x .svc.id }}", "inst1"],
    ["{{ coalesce .svc.x }}", ""],
    ["{{ if .svc.x }}a{{ else }}b{{ end }}", "b"],
    ["{{ if not .svc.x }}a{{ end }}", "a"],
    ["{{ if and .svc.id (or .svc.x .svc.t) }}a{{ end }}", "a"],
    ["{{ with .svc.x }}a{{ else }}b{{ end }}", "b"],
    ["{{ default .svc.y .svc.id }}", "inst1"],
    ["{{ if .svc.x }}{{ .svc.y }}{{ end }}", ""],
  ])("is accepted by default, coalesce, if and with: %s", (text, rendered) => {
    expect(render(text)).toEqual({ text: rendered });
  });

  test.each([
    ['{{ or .svc.x "y" }}', ".svc.x"],
    ["{{ not .svc.x }}", ".svc.x"],
    ['{{ if eq .svc.x "y" }}{{ end }}', ".svc.x"],
    ["{{ range .svc.x }}{{ end }}", ".svc.x"],
    ["{{ $x := .svc.x }}{{ $x }}{{ $x.y | upper }}", ".svc.x"],
    ['{{ .svc.x | upper | default "d" }}', ".svc.x"],
    ["{{ default .svc.x .svc.y }}", ".svc.x"],
    ["{{ .svc.nul.x }}", ".svc.nul.x"],
    ["{{ .svc.id.x }}", ".svc.id.x"],
    ["{{ with .svc.map }}{{ .x.y }}{{ end }}", ".svc.map.x.y"],
    ["{{ range $k, $v := .svc.components }}{{ $v.name }}{{ end }}", ".svc.components.cold.name"],
    ['{{ (index .svc.map "x").y }}', ".svc.map.x.y"],
    ["{{ index .svc.map .svc.id }}", ".svc.map.…"],
    ["{{ (fromJson `{}`).svc }}{{ (dict `a` .svc.id).b }}", null],
  ])("is refused elsewhere: %s", (text, path) => {
    expect(render(text).faults?.[0]).toMatchObject({ code: "missing_value", path });
  });

  test("is told with the message of required, also within default", () => {
    expect(details('{{ default "d" (required "say it" .svc.labels.x) }}')).toEqual([
      "say it: .svc.labels.x is missing: give the install the label x",
    ]);
  });

  test("is told once a line, however often a loop comes by", () => {
    expect(details("{{ range .svc.list }}{{ $.svc.x }}{{ end }}{{ upper .svc.n }}")).toEqual([
      ".svc.x is missing: nothing gives this value",
      "upper takes a text, not a number",
    ]);
  });
});

describe("what is no template", () => {
  test.each([
    ["{{ if .svc.id }}", "{{ if }} has no {{ end }}"],
    ["{{ range .svc.list }}{{ break }}{{ end }}", "break is not supported"],
    ["{{ if .svc.id }}{{ else }}{{ else }}{{ end }}", "after {{ else }} only {{ end }} can follow"],
    ["{{ $a, $b := .svc.id }}", "only range sets two variables"],
    ['{{ default "\\d" .svc.id }}', "a text in it has a \\ that Go's texts do not know"],
    ["{{ default 'x' .svc.id }}", "'x' is not expected here"],
    ["{{ default 1e999 .svc.id }}", "1e999 is too large a number"],
    ["{{ constructor .svc.id }}", "the function constructor is not known"],
    ["{{ include `x` .svc.id }}", "the function include is not known"],
  ])("is refused: %s", (text, detail) => {
    expect(render(text).faults).toMatchObject([{ code: "render_failed", path: null, detail }]);
  });

  test("is told without the values that it reads", () => {
    const secret = { svc: { s: "hunter2", l: ["hunter2"], m: { hunter3: "hunter2" } } };
    for (const pipeline of [
      "int .svc.s",
      "fromJson .svc.s",
      "b64dec .svc.s",
      "index .svc.m .svc.s",
      "(index .svc.m .svc.s).x",
      "eq .svc.s 1",
      "lt .svc.s .svc.l",
      'printf "%d" .svc.s',
      "index .svc.l .svc.s",
      ".svc.s.x",
      "ternary 1 2 .svc.s",
      "range .svc.s }}{{ end",
    ]) {
      const { faults } = render(`{{ ${pipeline} }}`, secret);
      expect(faults?.length).toBe(1);
      expect(JSON.stringify(faults)).not.toContain("hunter");
    }
  });
});

describe("a value", () => {
  test("keeps the kind of what its only action gives, and is a text elsewhere", () => {
    expect(
      valueOf({
        n: "{{ .svc.n }}",
        l: "{{- .svc.list -}}",
        m: "{{ .svc.map | default 1 }}",
        nul: "{{ .svc.nul }}",
        s: "{{ .svc.n }} ",
        both: "{{ .svc.n }}{{ .svc.n }}",
        written: '{{ "5" }}',
        block: "{{ if .svc.t }}{{ .svc.n }}{{ end }}",
        deep: [{ x: ["{{ .svc.t }}", 7, null, false, "{{ .Values.x }}"] }],
        "{{ .svc.id }}": "key",
      }),
    ).toEqual({
      value: {
        n: 5,
        l: ["x", "y"],
        m: { a: "q", b: 1 },
        nul: null,
        s: "5 ",
        both: "55",
        written: "5",
        block: "5",
        deep: [{ x: [true, 7, null, false, "{{ .Values.x }}"] }],
        "{{ .svc.id }}": "key",
      },
    });
  });

  test("has all its faults told at once, each with its member", () => {
    const { faults } = valueOf({
      a: ["ok", "{{ .svc.components.cold.outputs.url }}"],
      b: { c: "{{ upper .svc.n }}", d: "{{ if .svc.id }}" },
    });
    expect(faults?.map(({ member, code, detail }) => [member, code, detail])).toEqual([
      [
        "values.a[1]",
        "missing_value",
        ".svc.components.cold.outputs.url is missing: the component cold has no outputs yet",
      ],
      ["values.b.c", "render_failed", "upper takes a text, not a number"],
      ["values.b.d", "render_failed", "{{ if }} has no {{ end }}"],
    ]);
  });
});
