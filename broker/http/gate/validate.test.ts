import { describe, expect, test } from "vitest";
import { z } from "zod";
import { terraformLockInput } from "../../../shared/api/terraform-lock.ts";
import { mostEntries } from "../../../shared/most-entries.ts";
import { Problem } from "../../../shared/problem.ts";
import { growthOfCpu } from "../../../test/support/run/growth-of-cpu.ts";
import { validateBody, validateQuery } from "./validate.ts";

function refusal(schema: z.ZodType, value: unknown): unknown {
  try {
    return validateBody(schema, value);
  } catch (error) {
    return error;
  }
}

describe("the code of what is wrong with a body", () => {
  test.each([
    ["a value under another name than the schema's", terraformLockInput, { id: 5 }, "#/ID"],
    ["a value", z.object({ a: z.string() }), { a: 5 }, "#/a"],
    ["a value in one of two forms", z.union([z.string(), z.int()]), true, "#"],
  ])("is that of a wrong type for %s", (_, schema, value, pointer) => {
    const errors = [expect.objectContaining({ pointer, code: "invalid_type" })];
    expect(refusal(schema, value)).toMatchObject({ status: 422, errors });
  });

  test.each([
    ["a member", z.object({ a: z.string() }), {}, "#/a"],
    ["a member of what may have two forms", oneOfTwo(), { in: {} }, "#/in/a"],
  ])("is `required` for %s that is not there", (_, schema, value, pointer) => {
    const errors = [expect.objectContaining({ pointer, code: "required" })];
    expect(refusal(schema, value)).toMatchObject({ status: 422, errors });
  });
});

function oneOfTwo() {
  const long = z.object({ a: z.string(), b: z.string() });
  return z.object({ in: z.union([z.object({ a: z.string() }), long]) });
}

test("of a query with thousands of unknown names the first hundred are told", () => {
  const sent = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`k${n}`, ["1"]]));
  const schema = z.object({ limit: z.string().optional() });
  const refusal = (): readonly unknown[] => {
    try {
      validateQuery(schema, sent, false);
    } catch (error) {
      return error instanceof Problem ? error.errors : [];
    }
    return [];
  };
  expect(refusal()).toHaveLength(100);
  expect(refusal()[99]).toMatchObject({ pointer: "?k99", code: "unknown_parameter" });
  expect(validateQuery(schema, sent, true)).toEqual({});
});

test("nulls within texts that are kept cost what they are, however many texts there are", () => {
  const job = z.strictObject({ plan: z.record(z.string(), z.string()) });
  const schema = z.strictObject({ jobs: z.array(job) });
  const growth = growthOfCpu(4_000, (many) => {
    const places = Array.from({ length: many }, (_, at) => at);
    const verbatim = new Map(places.map((at) => [`#/jobs/${at}/plan`, '{"a":null}']));
    const value = { jobs: places.map(() => ({ plan: { a: null } })) };
    expect(() => validateBody(schema, value, { isNullAbsent: true, verbatim })).toThrow();
    expect(verbatim.size).toBe(many);
  });
  expect(growth).toBeLessThan(24);
});

test("a map that is too long is refused before any of its entries is looked at", () => {
  let looks = 0;
  const value = z.string().refine(() => (looks += 1) > 0);
  const map = z.record(z.string(), value).check(mostEntries(2, "At most 2 are allowed."));
  const schema = z.object({ labels: map.describe("Its labels.").optional() });
  const labels = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "v"]));
  const errors = [{ pointer: "#/labels", code: "invalid", detail: "At most 2 are allowed." }];
  expect(refusal(schema, { labels: labels(3) })).toMatchObject({ status: 422, errors });
  expect(looks).toBe(0);
  expect(validateBody(schema, { labels: labels(2) })).toEqual({ labels: labels(2) });
  expect(map.safeParse(labels(3)).error?.issues).toMatchObject([{ message: errors[0]?.detail }]);
});
