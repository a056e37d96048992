import { describe, expect, test } from "vitest";
import { growthOfCpu } from "../../../test/support/run/growth-of-cpu.ts";
import { findReferences } from "./find-references.ts";
import type { JsonObject } from "./json-value.ts";
import { renderTemplate } from "./render-template.ts";

const svc: JsonObject = { a: "text", l: ["x", "y"], m: { a: "q" } };
const render = (text: string) => {
  const place = { file: "f", member: "m" };
  const sensitive = { svc: { m: { a: true } } } as const;
  const { text: rendered, faults, masked } = renderTemplate(text, { svc }, place, { sensitive });
  return masked?.twin ?? rendered ?? faults?.map(({ line, detail }) => `${line}: ${detail}`);
};
const defined = (count: number, body: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => `{{ define "d${at}" }}${body(at)}{{ end }}`).join("");

describe("what a define and a variable without .svc are", () => {
  test.each([
    '{{ define "x" }}{{ .Values.a }}{{ end }}{{ template "x" . }}',
    '{{ define "x" }}app: x{{ end }}{{ include "x" . }}{{ template "x" . }}',
    '{{ define "x" }}never called{{ end }}',
    '{{ define "x" }}app: x{{ end }}{{ $r := .Values }}{{ template "x" $r }}{{ template "x" . }}',
    '{{ define "x" }}app: x{{ end }}{{ range .Values.l }}{{ if .a }}{{ template "x" . }}{{ end }}{{ end }}',
    '{{ define "x" }}app: x{{ end }}{{ template "x" .Values.a }}',
    '{{ template "x" . }}{{ block "y" .Values }}{{ . }}{{ end }}',
    '{{ $x := "a" }}{{ $x }}{{ include "f" $x }}',
    "{{ $x := .Values.a }}{{ $y := $x }}{{ $y }}",
    "{{ $x := 1 }}{{ if .Values.a }}{{ $x = 2 }}{{ end }}{{ range $x }}{{ . }}{{ end }}",
    '{{ range $i, $e := list "a" }}{{ $e }}{{ end }}',
    "{{ $r := . }}{{ $r.Values.a }}{{ with $r.Values }}{{ .b }}{{ end }}",
    '{{ define "x" }}{{ $r := . }}{{ $r.Values.a }}{{ end }}{{ template "x" . }}',
  ])("another program's: %s", (text) => {
    expect(render(text)).toBe(text);
    expect(render(`{{ .svc.a }}${text}{{ .svc.a }}`)).toBe(`text${text}text`);
  });

  test.each([
    [
      '{{ define "x" }}{{ .svc.a }}{{ end }}{{ include "x" . }}',
      '{{ define "x" }}text{{ end }}{{ include "x" . }}',
    ],
    [
      '{{ define "x" }}{{ .svc.a }} {{ .Values.b }}{{ end }}{{ template "x" . }}',
      "text {{ .Values.b }}",
    ],
    [
      '{{ define "x" }}{{ .svc.a }}{{ end }}{{ template "x" .Values }}',
      '{{ define "x" }}text{{ end }}{{ template "x" .Values }}',
    ],
    ['{{ $x := "a" }}{{ $y := "b" }}{{ print $x .svc.a }}{{ $y }}', '{{ $y := "b" }}atext{{ $y }}'],
  ])("ours as far as it shows: %s", (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  test("the whole may have a name of its own", () => {
    const text =
      "{{ $r := . }}{{ range .svc.l }}{{ $r.svc.a }}{{ end }}{{ $s := $ }}{{ $s.svc.a }}";
    expect(render(text)).toBe("texttexttext");
    expect(findReferences(text).references.map(({ path }) => path)).toEqual([["l"], ["a"], ["a"]]);
  });

  test("what they read is found, and what is sensitive stays masked through them", () => {
    const text =
      '{{ define "x" }}{{ .b }}{{ $.b.c }}{{ end }}{{ template "x" .svc.a }}{{ template "x" .svc.m }}';
    expect(findReferences(text).references.map(({ path }) => path)).toEqual([["a"], ["m"]]);
    const whole = '{{ define "x" }}{{ .svc.l }}{{ end }}{{ template "x" . }}{{ template "x" $ }}';
    expect(findReferences(whole).references.map(({ path }) => path)).toEqual([["l"]]);
    expect(
      render(
        '{{ define "x" }}<{{ . }}>{{ end }}{{ template "x" .svc.m.a }}{{ template "x" .svc.a }}',
      ),
    ).toBe("<(secret)><text>");
    expect(
      render(
        '{{ define "x" }}<{{ . }}>{{ end }}{{ if .svc.m.a }}{{ template "x" .svc.a }}{{ end }}',
      ),
    ).toBe("(secret)");
  });
});

describe("what is wrong with a define or its call is told with its line", () => {
  const called = '{{ template "x" .svc.a }}';
  test.each([
    ["\n{{ template `none` .svc.a }}", "2: this text has no template none"],
    [
      `{{ define "x" }}{{ template "x" . }}{{ end }}\n${called}`,
      "1: the template x calls itself, which templates cannot",
    ],
    [
      `{{ define "x" }}{{ template "y" . }}{{ end }}{{ define "y" }}{{ template "x" . }}{{ end }}${called}`,
      "1: the template x calls itself, which templates cannot",
    ],
    [
      `{{ define "x" }}a{{ end }}\n{{ define "x" }}b{{ end }}${called}`,
      "2: the template x is defined twice",
    ],
    [
      `{{ if .svc.a }}{{ define "x" }}a{{ end }}{{ end }}${called}`,
      "1: define stands within no block",
    ],
    [`{{ define "x" . }}a{{ end }}${called}`, "1: define takes a name alone"],
    [`{{ define "x" }}a${called}`, "1: {{ define }} has no {{ end }}"],
    [`{{ define "x" }}{{ else }}{{ end }}${called}`, "1: else stands within no if, with or range"],
    [
      `{{ define "x" }}{{ . }}{{ end }}{{ template "x" .Values }}\n${called}`,
      "2: actions of another program use it, too, so nothing of .svc can be given to the template x",
    ],
    ["{{ template .svc.a }}", "1: template takes a name in quotes"],
    ["{{ block .svc.a }}{{ end }}", "1: block takes a name in quotes"],
    ['{{ define "x" }}a{{ end }}{{ template "x" $v := .svc.a }}', "1: template sets no variables"],
    [`{{ define "x" }}{{ .none }}{{ end }}{{ template "x" .svc.m }}`, "1: .svc.m.none is missing"],
  ])("%s", (text, detail) => {
    expect(render(text)?.[0]).toContain(detail);
  });

  const chain = (count: number) =>
    `${defined(count, (at) => (at === count - 1 ? "{{ .svc.a }}" : `{{ template "d${at + 1}" . }}`))}{{ template "d0" . }}`;

  test("templates call one another ten deep, and no deeper", () => {
    expect(render(chain(10))).toBe("text");
    expect(render(chain(11))).toEqual(["1: templates call one another at most 10 deep"]);
    expect(render(chain(5_000))).toEqual(["1: templates call one another at most 10 deep"]);
  });

  test("what they call multiplies is counted", () => {
    const twenty = (at: number) => `{{ template "d${at + 1}" . }}`.repeat(20);
    const text = `${defined(9, (at) => (at === 8 ? "{{ .svc.a }}" : twenty(at)))}{{ template "d0" . }}`;
    expect(findReferences(text).references).toHaveLength(1);
    expect(render(text)).toEqual(["1: it takes more than 1000000 steps"]);
  });

  test("a text of many is read once through", () => {
    const many = 50_000;
    findReferences(
      `${defined(many, (at) => `{{ template "d${(at * 7) % many}" . }}`)}{{ template "d0" .svc.a }}`,
    );
    findReferences(`${'{{ $x := "a" }}'.repeat(many)}{{ print $x .svc.a }}`);
    findReferences(
      `{{ $x0 := "a" }}${Array.from({ length: many }, (_, at) => `{{ $x${at + 1} := $x${at} }}`).join("")}{{ print $x${many} .svc.a }}`,
    );
    findReferences(`{{ $x := 1 }}${"{{ if $x }}".repeat(many)}{{ print $x .svc.a }}`);
    findReferences(`${'{{ define "x" }}'.repeat(many)}{{ template "x" .svc.a }}`);
  });

  test("what is around an action is looked at once, however many blocks it is in", () => {
    const called = (at: number) => `{{ end }}{{ template "d${at}" .svc.a }}{{ if .a }}`;
    const growth = growthOfCpu(8_000, (many) => {
      const within = "{{ if .a }}".repeat(many);
      findReferences(`${within}${'{{ template "x" . }}'.repeat(many)}`);
      findReferences(`${within}${"{{ $x := . }}".repeat(many)}`);
      findReferences(`${within}${defined(many, called)}`);
    });
    expect(growth).toBeLessThan(24);
  });
});
