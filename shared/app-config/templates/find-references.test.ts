import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findReferences } from "./find-references.ts";

const pathsOf = (text: string) => {
  const { references, faults } = findReferences(text);
  expect(faults).toEqual([]);
  return references.map(({ path }) => path.join("."));
};
const setWords =
  "set changes a variable as the function of an action alone: {{ $_ := set $name … }}";
const faultsOf = (text: string) => findReferences(text).faults.map(({ detail }) => detail);

describe("what a template reads", () => {
  test.each([
    ["{{ .svc.a.b }}", ["a.b"]],
    ["{{- .svc.my-db.x -}}", ["my-db.x"]],
    ['{{.svc.a|default "x"|quote}}', ["a"]],
    ["{{ $.svc.a }}", ["a"]],
    ['{{ index .svc.components "my-db" "outputs" }}', ["components", "components.my-db.outputs"]],
    [
      '{{ (index .svc.components "db").outputs.url }}',
      ["components", "components.db", "components.db.outputs.url"],
    ],
    [
      "{{ if and .svc.a (not .svc.b) }}{{ .svc.c }}{{ else if .svc.d }}x{{ else }}y{{ end }}",
      ["a", "b", "d", "c"],
    ],
    [
      "{{ with .svc.components.db }}{{ .outputs.url }}{{ else }}{{ .svc.id }}{{ end }}",
      ["components.db", "components.db.outputs.url", "id"],
    ],
    ["{{ $x := .svc.a }}{{ $x.b }}", ["a", "a.b"]],
    ["{{ range $i, $e := .svc.a }}{{ $e }}{{ $i }}{{ .x }}{{ end }}", ["a"]],
    ["{{ printf `%s}}` .svc.a }}", ["a"]],
    ["{{  .svc.a  -}}{{$x:=.svc.b}}{{ upper .svc.c\n\n-}}", ["a", "b", "c"]],
    ["{{ .svc.a | toString }}", ["a"]],
    ["{{ default dict .svc.a }}", ["a"]],
    ["{{ $x := .svc.a }}{{ $_ := set $x `k` .svc.b }}{{ $x.k }}{{ $_.k }}", ["a", "a", "b"]],
    ["{{ $x := .svc.a }}{{ if .svc.t }}{{ $x = .svc.b }}{{ end }}{{ $x.c }}", ["a", "t", "b"]],
    [
      "{{ with .svc.a }}{{ with .b }}{{ .c }}{{ end }}{{ .d }}{{ end }}",
      ["a", "a.b", "a.b.c", "a.d"],
    ],
    ["{{ with .svc.a }}{{ else with .svc.b }}{{ .c }}{{ end }}", ["a", "b", "b.c"]],
    ["{{ range .Values.l }}{{ .x }}{{ .svc.a }}{{ else }}{{ .svc.b }}{{ end }}", ["a", "b"]],
  ])("%s", (text, paths) => {
    expect(pathsOf(text).toSorted()).toEqual(paths.toSorted());
  });
});

describe("what is another program's", () => {
  test.each([
    "{{ .Values.x | toYaml | nindent 4 }}",
    "{{ if .Values.x }}{{ .Release.Name }}{{ end }}",
    '{{- define "chart.name" -}}{{ end }}',
    '{{/* .svc.a */}} {{ include "x" . }}',
    "{{ request.object.metadata.name }} {{ % }} {{ '$' }} {{",
    "{{ else }}{{ end }}{{ end }}",
    "{{ .Values.svc.x }} {{ my.svc.name }}",
  ])("stays as it is: %s", (text) => {
    expect(pathsOf(text)).toEqual([]);
  });

  test.each([
    "{{ if .svc.id }}{{ .Values.x }}{{ $labels.y }}{{ include `z` . }}{{ end }}{{ .svc.name }}",
    "{{ if .svc.id }}{{ range $i, $e := .Values.l }}{{ $e }}{{ break }}{{ end }}{{ .svc.name }}{{ end }}",
    "{{ if .svc.id }}{{ if eq .x 'y' }}{{ end }}{{ end }}{{ .svc.name }}",
  ])("stays as it is in ours: %s", (text) => {
    expect(pathsOf(text)).toEqual(["id", "name"]);
  });

  test("stays as it is around and within ours", () => {
    const text =
      "{{ if .Values.a }}{{ .svc.id }}{{ range .Values.b }}{{ . }}{{ end }}{{ end }}{{ .svc.name }}";
    expect(pathsOf(text)).toEqual(["id", "name"]);
  });
});

describe("what reads as if it were of .svc", () => {
  const straysOf = (text: string) =>
    findReferences(text).strays.map(({ root, path }) => [root, ...path].join("."));

  test.each([
    ["{{ .acme.install.id }}", ["acme.install.id"]],
    ["{{.acme.inputs.inputs.size|quote}} {{ .acme.install.id }}", ["acme.inputs.inputs.size"]],
    ["{{ $.acme.org.name }}{{ .other.org.name }}", ["acme.org.name", "other.org.name"]],
    ["{{ if (eq .acme.runner.status `x`) }}{{ end }}", ["acme.runner.status"]],
    ["{{ .svc.id }}{{ range .acme.sandbox.outputs }}{{ end }}", ["acme.sandbox.outputs"]],
    [
      "{{ with .svc.id }}{{ end }}{{ .acme.components.db.outputs.url }}",
      ["acme.components.db.outputs"],
    ],
    ["{{ .acme.actions.workflows.backup.outputs }}", ["acme.actions.workflows.backup"]],
  ])("%s", (text, strays) => {
    expect(straysOf(text)).toEqual(strays);
  });

  test.each([
    "{{ .Values.install.id }} {{ .Release.app.name }}",
    "{{ with .svc }}{{ .install.sandbox.type }}{{ .x.install.id }}{{ end }}",
    "{{ .service.name }} {{ .metadata.labels.app }} {{ .acme.id }} {{ .acme.install }}",
    "{{ .spec.components.db.replicas }} {{ .acme.install.color }}",
    "{{ $x.install.id }} {{ .a.b.install.id }} {{ (.a).install.id }}",
    ".acme.install.id {{/* .acme.install.id */}} {{ `.acme.install.id` }}",
  ])("none of: %s", (text) => {
    expect(straysOf(text)).toEqual([]);
  });
});

describe("what is wrong with a template", () => {
  test.each([
    ["{{ uppr .svc.a }}", "the function uppr is not known; did you mean upper?"],
    ["{{ upper .svc.a .svc.b }}", "upper takes 1 values, not 2"],
    ["{{ .svc.a", "an action that begins with {{ does not end with }}"],
    ["{{ if .svc.a }}x", "{{ if }} has no {{ end }}"],
    ["{{ .svc.a | }}", "a value is missing"],
    ["{{ (.svc.a }}", "this ( is not closed"],
    ["{{ .svc.a .svc.b }}", "svc is not expected here"],
    ["{{ upper .svc.b .svc.a | upper }}", "upper takes 1 values, not 2"],
    ["{{ default $x .svc.a }}", "the variable $x is not set"],
    ['{{ .svc.a | default "x }}', "a text in it does not end"],
    ['{{ default "\\d" .svc.a }}', "a text in it has a \\ that Go's texts do not know"],
    ["{{ range .svc.a }}{{ if .x }}{{ break }}{{ end }}{{ end }}", "break is not supported"],
    ["{{ if .svc.a }}{{ else }}{{ else }}{{ end }}", "after {{ else }} only {{ end }} can follow"],
    ["{{ $a, $b := .svc.a }}", "only range sets two variables"],
    [
      "{{ default upper .svc.a }}",
      "upper is not expected here: a function among values needs parentheses, (upper …)",
    ],
    ["{{ $x := .svc.a }}{{ list (set $x `k` 1) }}", setWords],
    ["{{ $x := .svc.a }}{{ if set $x.y `k` 1 }}{{ end }}", setWords],
    ["{{ constructor .svc.a }}", "the function constructor is not known"],
    [`{{ .svc.a${" | upper".repeat(50_000)} }}`, "an action has at most 500 pieces"],
  ])("%s", (text, detail) => {
    expect(faultsOf(text)).toEqual([detail]);
  });
});

test("any text is read to its end, in time that grows with its length", () => {
  const piece = fc.constantFrom(
    "{{",
    "}}",
    " ",
    ".svc",
    ".a",
    '"',
    "`",
    "(",
    ")",
    "|",
    "$x",
    ":=",
    "if",
    "end",
    "else",
    "with",
    "range",
    "/*",
    "*/",
    "-",
    "x",
    "1",
    "\n",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      findReferences(pieces.join(""));
      findReferences(`{{ .svc.a }}${pieces.join(" ")}`);
    }),
    { numRuns: 2000 },
  );
  for (const piece of ["{{", "{{/*", '{{ "', "{{ `", "{{ (", "{{ .svc.a | ", "{{ if .svc.a }}"])
    findReferences(piece.repeat(100_000));
  const loop = Array.from({ length: 30_000 }, (_, at) => `{{ $x${at + 1} := $x${at}.a }}`);
  findReferences(`{{ $x0 := .svc }}${loop.join("")}`);
  for (const piece of [
    ".a",
    ".aaaaaaaa",
    ".a.install",
    ".a.install.",
    "{{ .a.install.id }}",
    ".install",
  ])
    findReferences(`{{ .svc.id }}${piece.repeat(100_000)}`);
});
