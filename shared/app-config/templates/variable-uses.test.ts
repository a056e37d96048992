import { describe, expect, test } from "vitest";
import { growthOfCpu } from "../../../test/support/run/growth-of-cpu.ts";
import { findReferences } from "./find-references.ts";
import { renderTemplate } from "./render-template.ts";

const svc = { a: "text", t: true, f: false, l: ["x", "y"], none: [], secret: "s" };
const render = (text: string) => {
  const sensitive = { svc: { secret: true } } as const;
  const rendered = renderTemplate(text, { svc }, { file: "f", member: "m" }, { sensitive });
  return rendered.masked?.twin ?? rendered.text ?? rendered.faults;
};
const comma = "{{ if $first }}{{ $first = false }}{{ else }},{{ end }}";

describe("a variable that a block of ours uses", () => {
  test.each([
    ["{{ $n := 1 }}{{ if .svc.l }}{{ $n = 2 }}{{ end }}n={{ $n }}", "n=2"],
    ["{{ $n := 1 }}{{ if .svc.f }}{{ $n = 2 }}{{ end }}n={{ $n }}", "n=1"],
    ["{{ $n := 1 }}{{ if .svc.t }}n={{ $n }}{{ end }}", "n=1"],
    [`{{ $first := true }}{{ range .svc.l }}${comma}{{ . }}{{ end }}`, "x,y"],
    ["{{ range .svc.l }}{{ $z := `q` }}{{ $z }}{{ . }}{{ end }}", "qxqy"],
    ["{{ $d := `.` }}{{ with .svc.a }}{{ . }}{{ $d }}{{ end }}", "text."],
    [
      '{{ $m := dict "a" 1 }}{{ range .svc.l }}{{ $_ := set $m . 2 }}{{ end }}{{ toJson $m }}',
      '{"a":1,"x":2,"y":2}',
    ],
    [
      "{{ $l := list 1 2 }}{{ if .svc.t }}{{ range $i, $e := $l }}{{ if $i }},{{ end }}{{ $e }}{{ end }}{{ end }}",
      "1,2",
    ],
    [
      "{{ $a := false }}{{ range .svc.l }}{{ if $a }}a{{ else with $b := `b` }}{{ $b }}{{ . }}{{ $a = true }}{{ end }}{{ end }}",
      "bba",
    ],
    ["{{ $a := true }}{{ $b := .svc.a }}{{ if $a }}{{ $b = `c` }}{{ end }}{{ $b }}", "c"],
    [
      "{{ $n := 1 }}{{ if .svc.t }}{{ $n = 2 }}{{ end }}{{ if .Values.a }}{{ $n }}{{ end }}",
      "{{ if .Values.a }}2{{ end }}",
    ],
    [
      "{{ with $w := 1 }}{{ if $.svc.t }}{{ with $.Values.a }}{{ . }}{{ else }}{{ . }}{{ $w }}{{ end }}{{ end }}{{ end }}",
      "{{ with $.Values.a }}{{ . }}{{ else }}11{{ end }}",
    ],
    [
      "{{ range .Values.l }}{{ $n := 1 }}{{ if $.svc.t }}{{ $n = 2 }}{{ end }}{{ $n }}{{ end }}",
      "{{ range .Values.l }}2{{ end }}",
    ],
  ])("is rendered with it, where we know all its values: %s", (text, rendered) => {
    expect(render(text)).toBe(rendered);
  });

  test.each([
    ["{{ $n := .Values.n }}", "{{ $n }}", ""],
    ["{{ $n := (.Values.n) }}", "{{ $n }}", ""],
    ["{{ $n := 1 }}", "{{ $n = .Values.n }}", "{{ $n }}"],
    ["{{ $n := 1 }}", "{{ print $n .Values.n }}", "{{ $n }}"],
    ["{{ $n := 1 }}", '{{ include "f" $n }}', "{{ $n }}"],
    ["{{ $n := 1 }}", "{{ upper $n $n }}", ""],
    ["{{ $n := 1 }}", "{{ if .Values.a }}{{ $n = 2 }}{{ end }}", "{{ $n }}"],
    ["{{ $n := 1 }}", "{{ $n }}", "{{ range .Values.l }}{{ $n = 2 }}{{ end }}"],
    ["{{ $n := 1 }}", "{{ $n }}", "{{ if .Values.a }}{{ else if $n }}{{ end }}"],
    ["{{ $n := 1 }}", '{{ template "none" $n }}', "{{ $n }}"],
    ["{{ $n := dict }}", "{{ $n }}", "{{ if .Values.a }}{{ $_ := set $n `k` 1 }}{{ end }}"],
    ["{{ $n := dict }}", "{{ if set $n `k` 1 }}{{ $n }}{{ end }}", ""],
    ["{{ $n := list 1 }}", "{{ range $n }}{{ break }}{{ end }}", ""],
    ["{{ $n := list 1 }}", "{{ range $n }}{{ else }}{{ print $n .Values.a }}{{ end }}", ""],
    ["{{ $n := . }}", "{{ $n.Values.a }}", ""],
    ["{{ $a := .Values.a }}{{ $n := 1 }}", "{{ if $a }}{{ $n = 2 }}{{ end }}{{ $n }}", ""],
    ["{{ $a := 1 }}{{ $n := 1 }}", "{{ if $a }}{{ $n = 2 }}{{ end }}{{ $n }}", "{{ f $a }}"],
  ])("stays as it is where another program has a part in it: %s %s %s", (before, within, after) => {
    expect(render(`${before}{{ if .svc.t }}${within}{{ end }}${after}`)).toBe(
      `${before}${within}${after}`,
    );
  });

  test("is masked where something sensitive decides about it, and what it reads is found", () => {
    const text = "{{ $n := 1 }}{{ if .svc.secret }}{{ $n = .svc.a }}{{ end }}n={{ $n }}";
    expect(render(text)).toBe("(secret)n=(secret)");
    expect(render(`{{ $first := true }}{{ range .svc.none }}${comma}{{ end }}`)).toBe("");
    expect(findReferences(text).references.map(({ path }) => path)).toEqual([["secret"], ["a"]]);
  });

  test("costs what its text costs", () => {
    const both = "{{ $x := 1 }}{{ $y := 1 }}";
    const ways = [
      (many: number) => `${both}${"{{ if $x }}".repeat(63)}${"{{ $y = 1 }}".repeat(many)}`,
      (many: number) => `${both}${"{{ if $x }}".repeat(many)}${"{{ $y = 1 }}".repeat(many)}`,
      (many: number) => `${both}${"{{ $x $y }}".repeat(many)}`,
      (many: number) =>
        `{{ if .svc.t }}${Array.from({ length: many }, (_, at) => `{{ $x${at} := 1 }}{{ if $x${at} }}{{ $x${at} = 2 }}{{ end }}`).join("")}{{ end }}`,
      (many: number) =>
        Array.from({ length: many }, (_, at) => `{{ $x${at} := 1 }}{{ if $x${at} }}`).join(""),
    ];
    const growths = ways.map((textOf) =>
      growthOfCpu(8_000, (many) => void findReferences(textOf(many))),
    );
    expect(Math.max(...growths)).toBeLessThan(24);
  });
});
