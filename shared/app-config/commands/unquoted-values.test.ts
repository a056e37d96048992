import { describe, expect, test } from "vitest";
import { findReferences } from "../templates/find-references.ts";
import { findUnquotedValues } from "./unquoted-values.ts";

const warned = (text: string): string[] => {
  const { nodes, faults } = findReferences(text);
  expect(faults).toEqual([]);
  return findUnquotedValues(text, nodes).map(({ detail }) => detail.split(":")[0] ?? "");
};
const name = ".svc.install.name";
const raw = (place = "") =>
  `${name} stands${place} where the shell reads it as a part of the command`;
const useless = (place: string) => `${name} stands ${place}, where shellquote does not protect it`;

describe("a value that somebody else decides is warned of in a command", () => {
  test.each([
    ["as it is", `echo {{ ${name} }}`, raw()],
    ["by Go's quotes", `echo {{ ${name} | quote }}`, raw()],
    ["by single quotes", `echo {{ ${name} | squote }}`, raw()],
    ["between double quotes", `echo "{{ ${name} }}"`, raw(" in double quotes")],
    ["between single quotes", `echo '{{ ${name} }}'`, raw(" in single quotes")],
    ["in a variable of the template", `{{ $x := ${name} }}echo {{ $x | upper }}`, raw()],
    ["by with", `{{ with ${name} }}echo {{ . }}{{ end }}`, raw()],
    ["by range", "{{ range .svc.labels }}echo {{ . }}{{ end }}", ".svc.labels stands"],
    ["out of base64", `echo {{ ${name} | b64enc | b64dec }}`, raw()],
    ["changed after it was quoted", `echo {{ ${name} | shellquote | upper }}`, raw()],
    ["cut after it was quoted", `echo {{ printf "%.3s" (${name} | shellquote) }}`, raw()],
    ["or another", `echo {{ default "x" ${name} }}`, raw()],
    ["in a branch", `{{ if .svc.id }}{{ else }}echo {{ ${name} }}{{ end }}`, raw()],
  ])("%s", (_, text, words) => {
    const [first = "", ...others] = warned(text);
    expect(others).toEqual([]);
    expect(first.startsWith(words)).toBe(true);
  });

  test.each([
    ["double quotes", `echo "{{ ${name} | shellquote }}"`, "in double quotes"],
    ["single quotes", `echo 'it is {{ ${name} | shellquote }}'`, "in single quotes"],
    ["quotes with escapes", `echo $'it\\'s {{ ${name} | shellquote }}'`, "in single quotes"],
    ["backquotes", `x=\`echo {{ ${name} | shellquote }}\``, "in backquotes"],
    ["a comment", `true # it's {{ ${name} | shellquote }}\necho`, "in a comment"],
    ["a here-document", `cat <<EOF\n{{ ${name} | shellquote }}\nEOF\n`, "in a here-document"],
    [
      "one whose end is indented",
      `cat <<-'E F'\nx\n\t{{ ${name} | shellquote }}\n\tE F\n`,
      "in a here-document",
    ],
    ["a default in quotes", `echo "\${x:-{{ ${name} | shellquote }}}"`, "in double quotes"],
  ])("also quoted, in %s", (_, text, place) => {
    expect(warned(text)).toEqual([useless(place)]);
  });

  test("in whatever another program runs", () => {
    expect(warned(`#!/usr/bin/env python3\nprint({{ ${name} | shellquote }})`)).toEqual([
      `${name} stands in a script that it can change`,
    ]);
  });
});

describe("nothing is warned of", () => {
  test.each([
    ["a quoted value", `echo {{ ${name} | shellquote }} {{ shellquote .svc.labels }}`],
    ["a part of a word", `echo --name={{ ${name} | shellquote }}.txt`],
    ["within $( ) in quotes", `echo "$(cat {{ ${name} | shellquote }})"`],
    ["after a comment", `#!/bin/sh -e\n# don't\necho {{ ${name} | shellquote }} # it's`],
    ["after a here-document", `cat <<EOF\nit's\nEOF\necho {{ ${name} | shellquote }}`],
    ["after what is no here-document", `echo $((1<<x))\ncat <<<y\necho {{ shellquote ${name} }}`],
    ["after escapes", `echo \\' "\\"" 'a' $# \${#x}\necho {{ ${name} | shellquote }}`],
    ["after a case", `case x in a) ;; esac\necho {{ ${name} | shellquote }}`],
    ["ids and statuses", 'echo "{{ .svc.id }} {{ .svc.install.id }} {{ .svc.runner.status }}"'],
    ["numbers", 'echo "{{ .svc.inputs.inputs.port | int }}" {{ len .svc.labels }}'],
    ["base64 and sums", `echo "{{ ${name} | b64enc }}" '{{ ${name} | sha256sum }}'`],
    ["a choice of the template's own", `echo {{ ternary "a" "b" (eq ${name} "x") }}`],
    ["the template's own words", `echo {{ "{{" }} {{ $x := "a b" }}{{ $x | upper }}`],
    ["a condition", `{{ if ${name} }}echo "$NAME"{{ end }}`],
    ["another program's braces", "docker ps --format '{{ .Names }}'"],
    ["quoted words put together", `echo {{ printf "-n %s" (${name} | shellquote) }}`],
    ["a quoted word or another", `echo {{ default "x" (${name} | shellquote) }}`],
  ])("%s", (_, text) => {
    expect(warned(text)).toEqual([]);
  });
});
