import fc from "fast-check";
import { expect, test } from "vitest";
import { walks } from "../../../test/support/model/walks.ts";
import type { Json, JsonObject } from "./json-value.ts";
import { type RenderedText, renderTemplate } from "./render-template.ts";

const place = { file: "actions/say.toml", member: "steps[0].command" };
const given = "$.svc.inputs.inputs.secret";
const stateWith = (secret: Json): JsonObject => ({
  svc: {
    n: 7,
    list: ["x", "y", "hunter22"],
    map: { a: 1, hunter22: 2 },
    inputs: { inputs: { secret, open: "world" } },
    app: { variables: { key: secret } },
  },
});
const render = (text: string, secret: Json) =>
  renderTemplate(text, stateWith(secret), place, {
    sensitive: {
      svc: { inputs: { inputs: { secret: true } }, app: { variables: { key: true } } },
    },
  });

/** Most of them take any values, so that not every template ends with a fault. */
const calls = [
  "upper (toString A)",
  "len (toString A)",
  "sha256sum (toJson A)",
  "printf `%s-%v` A B",
  "trunc 2 (toString A)",
  "contains (toString A) (toString B)",
  "eq (toString A) (toString B)",
  "lt (len (toString A)) (len (toString B))",
  "split `u` (toString A)",
  "join `,` A",
  "quote A B",
  "not A",
  "or A B",
  "and A B C",
  "default A B",
  "coalesce A B C",
  "ternary A B (not C)",
  "list A B",
  "dict `a` A `b` B",
  "dict (toString A) B",
  "(dict `a` A `b` B).b",
  "index (list A B C) 1",
  "index $.svc.map (toString A)",
  "required (toString A) B",
  "index A 0",
  "index A `a`",
  "fromJson (toString A)",
  "int A",
  "eq A B",
  "upper A",
];

/** Templates that read the state above in every way: variables, blocks within one another, functions. */
const { text: anyText } = fc.letrec<{ value: string; node: string; text: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(
      given,
      "$.svc.app.variables.key",
      "$.svc.inputs.inputs",
      "$.svc.inputs.inputs.open",
      "$.svc.list",
      "$.svc.map",
      "$.svc.n",
      "$.svc.none",
      "$.svc.app.variables",
      "$x",
      "$y",
      ".",
      "`x`",
      "`hunter22`",
      "3",
      "``",
      "true",
    ),
    fc
      .tuple(fc.constantFrom(...calls), fc.array(tie("value"), { minLength: 3, maxLength: 3 }))
      .map(
        ([call, [a = "", b = "", c = ""]]) =>
          `(${call.replace("A", a).replace("B", b).replace("C", c)})`,
      ),
  ),
  node: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom("a", "b\n", " "),
    tie("value").map((value) => `{{ ${value} }}`),
    fc
      .tuple(fc.constantFrom("$x", "$y"), tie("value"))
      .map(([name, value]) => `{{ ${name} = ${value} }}`),
    fc
      .tuple(
        fc.constantFrom("if", "with", "range", "range $y :="),
        tie("value"),
        tie("text"),
        tie("text"),
      )
      .map(([word, value, yes, no]) => `{{ ${word} ${value} }}${yes}{{ else }}${no}{{ end }}`),
    fc
      .tuple(tie("value"), tie("text"), tie("value"), tie("text"))
      .map(([a, yes, b, no]) => `{{ if ${a} }}${yes}{{ else if ${b} }}${no}{{ end }}`),
  ),
  text: fc.array(tie("node"), { maxLength: 4 }).map((nodes) => nodes.join("")),
}));

const anySecret = fc.oneof(
  fc.constantFrom<Json>(
    "hunter22",
    "x",
    "5",
    "{}",
    '["x"]',
    "a",
    "true",
    "0",
    0,
    3,
    true,
    false,
    "",
  ),
  fc.string({ maxLength: 12 }),
  fc.constantFrom<Json>([], ["x", "y"], ["hunter22"], {}, { a: "x" }, { hunter22: [1] }),
);

/** What people are shown of it. */
const shownOf = ({ text, masked, faults }: RenderedText): string =>
  JSON.stringify(faults ?? masked?.twin ?? text);
const isMaskedFault = ({ faults }: RenderedText): boolean =>
  faults?.length === 1 && faults[0]?.detail.includes("sensitive") === true;

test("whatever a template does with two secrets, what is shown of both is the same", () => {
  fc.assert(
    fc.property(anyText, anySecret, anySecret, (nodes, one, another) => {
      const text = `{{ $x := .svc.n }}{{ $y := .svc.list }}${nodes}{{ $x }}{{ $y }}`;
      const both = [render(text, one), render(text, another)];
      // That one of them could be rendered and the other could not is told by its end alone.
      const shown = both.filter((rendered) => !isMaskedFault(rendered)).map(shownOf);
      expect(new Set(shown).size).toBeLessThanOrEqual(1);
      const faults = both.filter((rendered) => rendered.faults !== undefined).map(shownOf);
      expect(new Set(faults).size).toBeLessThanOrEqual(1);
      const plain = renderTemplate(text, stateWith(one), place);
      expect(both[0]?.text).toBe(plain.text);
      expect(both[0]?.faults === undefined).toBe(plain.faults === undefined);
    }),
    walks(150),
  );
});
