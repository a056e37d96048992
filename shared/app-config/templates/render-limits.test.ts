import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { walks } from "../../../test/support/model/walks.ts";
import type { Json, JsonObject } from "./json-value.ts";
import { renderTemplate, renderValue } from "./render-template.ts";
import { RenderWork } from "./render-work.ts";
import { templateFunctions } from "./template-functions.ts";

const place = { file: "f", member: "m" };
const big = "x".repeat(2 ** 20);
const numbers = Array.from({ length: 2_000 }, (_, at) => at);
const many = Object.fromEntries(numbers.map((at) => [`k${at}`, at]));
const white = " ".repeat(2 ** 20);
const svc: JsonObject = { a: "a", big, numbers, many, white, unseen: "\u200b".repeat(2 ** 20) };
const steps = "it takes more than 1000000 steps";
const letters = "a text of it would be longer than 16777216 bytes";
const loop = (action: string) => `{{ range .svc.numbers }}${action}{{ end }}`;

describe("a template that would not end in time or space is refused", () => {
  test.each([
    ["loops in loops", loop(loop("{{ . }}").replace(".svc", "$.svc")), steps],
    [
      "a text that doubles",
      `{{ $x := .svc.big }}${'{{ $x = printf "%s%s" $x $x }}'.repeat(40)}`,
      letters,
    ],
    [
      "a list that doubles",
      `{{ $x := list .svc.a }}${"{{ $x = list $x $x }}".repeat(40)}{{ $x }}`,
      steps,
    ],
    [
      "a list in lists",
      `{{ $x := list .svc.a }}${"{{ $x = list $x }}".repeat(99)}{{ $x }}`,
      "a value of it has more than 64 levels",
    ],
    [
      "a replacement that grows",
      `{{ $x := replace "x" (printf "%.99s" .svc.big) .svc.big }}`,
      steps,
    ],
    ["spaces", "{{ $x := indent 9007199254740991 .svc.a }}", letters],
    [
      "a width",
      '{{ printf "%99999999d%s" 1 .svc.a }}',
      "printf takes a width to 1000, a precision to 100",
    ],
    ["a separator that grows", "{{ $x := join .svc.big .svc.numbers }}", letters],
    ["letters that are gone through", loop("{{ $x := upper $.svc.unseen }}"), steps],
    ["letters that are escaped", loop("{{ $x := quote $.svc.unseen }}"), steps],
    ["parts", loop('{{ $x := split "x" $.svc.big }}'), steps],
    ["sums", loop("{{ $x := sha256sum $.svc.big }}"), steps],
    [
      "a part that is looked for at each place",
      `{{ $a := printf "%s%s%s%s" .svc.big .svc.big .svc.big .svc.big }}${'{{ $x := contains (printf "%sb%s" $.svc.big $.svc.big) $a }}'.repeat(2)}`,
      steps,
    ],
    ["white space", loop("{{ $x := trim $.svc.white }}"), steps],
    ["members that are counted", loop("{{ $x := len $.svc.many }}".repeat(4)), steps],
    ["parsing", "{{ .svc.a }}".repeat(250_000), steps],
    ["faults", loop(loop("{{ $.svc.none }}").replace(".svc", "$.svc")), steps],
    ["pipes", `{{ .svc.a${" | upper".repeat(100_000)} }}`, "an action has at most 500 pieces"],
    ["output", loop("{{ $.svc.big }}"), "it writes more than 16777216 bytes"],
    ["blocks", "{{ if .svc.a }}".repeat(100_000), "at most 64 blocks may be within one another"],
  ])("%s", (_, text, detail) => {
    const { faults } = renderTemplate(text, { svc }, place);
    expect(faults?.map((fault) => fault.detail)).toContain(detail);
  });

  test("all texts of a request count together, and what is spent stays so", () => {
    const work = new RenderWork({ steps: 1_000, outputBytes: 1_000 });
    const ends = Array.from({ length: 60 }, () => {
      const { text } = renderTemplate(loop("{{ . }}"), { svc: { numbers: [1, 2] } }, place, {
        work,
      });
      return [text, work.isSpent];
    });
    const last = ends.findIndex(([, isSpent]) => isSpent);
    expect(ends.slice(0, last)).toEqual(Array.from({ length: last }, () => ["12", false]));
    expect(last).toBeGreaterThan(20);
    expect(ends.slice(last)).toEqual(Array.from({ length: 60 - last }, () => [undefined, true]));
    expect(work.steps).toBeLessThan(1_000 + 60 * 100);
  });

  test("all texts of a value count together", () => {
    const { faults } = renderValue(
      Array.from({ length: 17 }, () => "{{ .svc.big }}"),
      { svc },
      place,
    );
    expect(faults).toMatchObject([
      { member: "m[16]", detail: "it writes more than 16777216 bytes" },
    ]);
  });

  test("levels are counted", () => {
    let value: Json = "x";
    for (let depth = 0; depth < 100_000; depth++) value = [value];
    expect(renderValue(value, { svc }, place).faults).toMatchObject([
      { detail: "it has more than 64 levels" },
    ]);
    expect(renderTemplate("{{ .svc }}", { svc: value }, place).faults).toMatchObject([
      { detail: "a value of it has more than 64 levels" },
    ]);
  });

  test("another program's blocks are not", () => {
    const text = `${"{{ if .a }}".repeat(50_000)}${"{{ end }}".repeat(50_000)}`;
    expect(renderTemplate(`${text}{{ .svc.a }}`, { svc }, place).text).toBe(`${text}a`);
  });
});

const hostile = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "a",
  "my-db",
  "my_db",
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<Json>(null, true, false, "", "text", "{{ .svc.a }}", "a,b"),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0), // JSON has no -0
    fc.string({ unit: "binary" }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc
      .array(fc.tuple(hostile, tie("value")), { maxLength: 4 })
      .map((all) => Object.fromEntries(all)),
  ),
})).value;
const names = [...templateFunctions.keys()];
const operand = fc.oneof(
  hostile.map((key) => `.svc.${key}`),
  fc.tuple(hostile, hostile).map(([a, b]) => `.svc.${a}.${b}`),
  hostile.map((key) => JSON.stringify(key)),
  fc.constantFrom(
    ".",
    "$x",
    "$",
    "1",
    "-3",
    "2.5",
    "true",
    "nil",
    '"%s %d"',
    '"__proto__"',
    '(dict "__proto__" .svc.a)',
  ),
);
const call = fc
  .tuple(fc.constantFrom(...names), fc.array(operand, { maxLength: 3 }))
  .map(([name, operands]) => [name, ...operands].join(" "));
const piece = fc.oneof(
  operand.map((one) => `{{ ${one} }}`),
  call.map((one) => `{{ ${one} }}`),
  fc.tuple(operand, call).map(([a, b]) => `{{- ${a} | ${b} -}}`),
  fc
    .tuple(
      fc.constantFrom("if", "with", "range", "range $x :=", "$x :=", "$x =", "else if"),
      operand,
    )
    .map(([word, one]) => `{{ ${word} ${one} }}`),
  fc.constantFrom(
    "{{ end }}",
    "{{ else }}",
    "{{",
    "}}",
    " text ",
    "{{ .Values.x }}",
    "{{ include `x` . }}",
    "\n",
  ),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
const before = JSON.stringify(Object.getOwnPropertyNames(Object.prototype));

test("any text with any state is rendered or refused, twice the same, and changes nothing else", () => {
  fc.assert(
    fc.property(text, json, (template, state) => {
      const given = JSON.stringify(state);
      const once = renderTemplate(template, { svc: state }, place);
      expect(renderTemplate(template, { svc: JSON.parse(given) as Json }, place)).toEqual(once);
      expect(once.text === undefined).toBe(once.faults !== undefined);
      expect(JSON.stringify(state)).toBe(given);
    }),
    walks(300),
  );
  expect(JSON.stringify(Object.getOwnPropertyNames(Object.prototype))).toBe(before);
});

test("any value with any state is rendered or refused, and is JSON as it was", () => {
  fc.assert(
    fc.property(json, json, (value, state) => {
      const { value: rendered, faults } = renderValue(value, { svc: state }, place);
      if (faults !== undefined) return;
      expect(JSON.parse(JSON.stringify(rendered))).toEqual(rendered);
      const isTemplate = JSON.stringify(value).includes("{{");
      expect(isTemplate || isDeepStrictEqual(rendered, value)).toBe(true);
    }),
    walks(100),
  );
});

test("a text without actions of ours stays as it is, byte for byte", () => {
  const other = fc.oneof(
    fc.string({ unit: "binary" }).map((one) => one.replaceAll("{{", "{ {")),
    fc.constantFrom(
      "{{ .Values.x }}",
      "{{- if .a -}}",
      "{{ end }}",
      " {{- else }}",
      "{{ $x := . }}",
      "{{/*",
      "*/}}",
      "{{ 'a' }}",
      "{{ %",
      "{{ range $i, $e := .l }}",
      "{{ define `x` }}",
    ),
  );
  fc.assert(
    fc.property(fc.array(other, { maxLength: 20 }), (pieces) => {
      const whole = pieces.join("");
      fc.pre(!/\{\{-?\s*["`]/.test(whole));
      expect(renderTemplate(whole, { svc }, place)).toEqual({ text: whole });
    }),
    walks(200),
  );
});

test("what maps are called changes no object", () => {
  const state = JSON.parse('{"__proto__":{"x":"own"},"constructor":"c"}') as JsonObject;
  const render = (one: string) => renderTemplate(one, { svc: state }, place);
  expect(render("{{ .svc.__proto__.x }}{{ .svc.constructor }}")).toEqual({ text: "ownc" });
  expect(render("{{ .svc.toString }}").faults).toMatchObject([{ code: "missing_value" }]);
  expect(render('{{ dict "__proto__" .svc.constructor }}').text).toBe('{"__proto__":"c"}');
  const { value } = renderValue(state, { svc: state }, place);
  expect(JSON.stringify(value)).toBe(JSON.stringify(state));
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});
