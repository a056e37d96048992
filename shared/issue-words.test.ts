import { describe, expect, test } from "vitest";
import { z } from "zod";
import { firstFault, issueWords } from "./issue-words.ts";

const said = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;

const isRed = z.literal("red");
const shape = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("a") }),
  z.object({ kind: z.literal("b") }),
]);

type Case = readonly [schema: z.ZodType, value: unknown, sentence: string];

/** By code, so that one that zod adds does not compile without its row. */
const cases: Record<z.core.$ZodIssue["code"], readonly Case[]> = {
  invalid_type: [
    [z.string(), undefined, "Required. Must be a string."],
    [z.string(), 5, "Must be a string, not a number."],
    [z.string(), null, "Must be a string, not null."],
    [z.number(), "5", "Must be a number, not a string."],
    [z.coerce.number(), "many", "Must be a number."],
    [z.int(), 1.5, "Must be a whole number, not one with a fraction."],
    [z.int(), "1", "Must be a number, not a string."],
    [z.boolean(), 1.5, "Must be true or false, not a number."],
    [z.string(), 1.5, "Must be a string, not a number."],
    [z.boolean(), [], "Must be true or false, not a list."],
    [z.array(z.string()), {}, "Must be a list, not an object."],
    [z.object({}), true, "Must be an object, not a boolean."],
    [z.record(z.string(), z.string()), "x", "Must be an object, not a string."],
    [z.never(), 1, "Is not allowed here."],
    [z.date(), "today", "Must be an instant, not a string."],
  ],
  invalid_value: [
    [z.enum(["graceful", "force"]), "soft", "Must be one of graceful, force."],
    [z.literal("red"), "green", "Must be red."],
    [z.literal(["", 1, null]), "x", 'Must be one of "", 1, null.'],
  ],
  too_big: [
    [z.string().max(3), "four", "Must have at most 3 characters, not 4."],
    [z.string().length(1), "two", "Must have exactly 1 character, not 3."],
    [z.array(z.any()).max(1), [1, 2], "Must have at most 1 item, not 2."],
    [z.number().max(5), 6, "Must be at most 5."],
    [z.number().lt(5), 5, "Must be less than 5."],
    [z.bigint().max(5n), 6n, "Must be at most 5."],
    [z.date().max(new Date(0)), new Date(1), "Must be at most 1970-01-01T00:00:00.000Z."],
    [z.set(z.any()).max(1), new Set([1, 2]), "Must have at most 1 item, not 2."],
  ],
  too_small: [
    [z.string().min(1), "", "Must not be empty."],
    [z.string().min(3), "ab", "Must have at least 3 characters, not 2."],
    [z.array(z.any()).min(2), [1], "Must have at least 2 items, not 1."],
    [z.number().min(1), 0, "Must be at least 1."],
    [z.number().positive(), 0, "Must be more than 0."],
  ],
  invalid_format: [
    [z.email(), "x", "Must be an email address."],
    [z.url(), "x", "Must be a URL, such as https://example.com/path."],
    [z.iso.datetime(), "x", "Must be an instant, such as 2026-01-31T08:00:00Z."],
    [z.string().startsWith("a"), "b", 'Must begin with "a".'],
    [z.string().endsWith("a"), "b", 'Must end with "a".'],
    [z.string().includes("a"), "b", 'Must contain "a".'],
    [z.string().regex(/^a+$/), "b", "Must match the pattern /^a+$/."],
    [z.string().lowercase(), "B", "Must be text of the form lowercase."],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 6, "Must be a multiple of 5."]],
  unrecognized_keys: [
    [
      z.strictObject({ a: z.string().optional(), b: z.string().optional() }),
      { c: 1 },
      "Unknown field: allowed are a, b.",
    ],
    [z.strictObject({}), { c: 1 }, "Unknown field: none is allowed here."],
  ],
  invalid_union: [
    [shape, { kind: "c" }, "Must be one of a, b."],
    [z.union([z.string(), z.number()]), true, "Must be a string, not a boolean."],
    [
      z.union([z.object({ a: z.string(), b: z.string() }), z.null()]),
      { a: 1, b: null },
      "Must be a string, not a number.",
    ],
    [z.xor([z.string(), z.any()]), "x", "Must have exactly one of the allowed forms."],
  ],
  invalid_key: [
    [
      z.record(z.string().max(1), z.any()),
      { ab: 1 },
      "Has a name that is not allowed: must have at most 1 character, not 2.",
    ],
  ],
  invalid_element: [
    [
      z.map(z.object({}), z.string()),
      new Map([[{}, 1]]),
      "Has an element that is not allowed: must be a string, not a number.",
    ],
  ],
  custom: [
    [z.any().refine(() => false), 1, "Is not allowed."],
    [z.any().refine(() => false, "Own words."), 1, "Own words."],
  ],
};

describe("the words for what is wrong with a value", () => {
  test.each(Object.entries(cases))("of %s say what is wrong and what is allowed", (code, rows) => {
    for (const [schema, value, sentence] of rows) {
      expect(schema.safeParse(value).error?.issues[0]?.code).toBe(code);
      expect(said(schema, value)).toBe(sentence);
    }
  });

  test("name many fields nowhere", () => {
    const many = Object.fromEntries(
      Array.from({ length: 41 }, (_, n) => [`f${n}`, z.string().optional()]),
    );
    expect(said(z.strictObject(many), { x: 1 })).toMatch(/^Unknown field: see the fields/);
  });

  test("repeat no value", () => {
    for (const rows of Object.values(cases)) {
      for (const [schema] of rows) expect(said(schema, "s3cret") ?? "").not.toContain("s3cret");
    }
    expect(issueWords({ code: "custom", input: "s3cret", path: [] })).not.toContain("s3cret");
  });

  test("follow a name, too", () => {
    const steps = z.object({ steps: z.array(z.object({ name: z.string() })) });
    expect(firstFault(steps.safeParse({ steps: [{ name: 1 }] }).error)).toBe(
      "steps.0.name: must be a string, not a number",
    );
    expect(firstFault(isRed.safeParse(1).error, { whole: "the document" })).toBe(
      "the document: must be red",
    );
  });
});
