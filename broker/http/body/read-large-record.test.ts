import { expect, test } from "vitest";
import type { Problem } from "../../../shared/problem.ts";
import { readLargeRecord } from "./read-large-record.ts";

const told = (labels: Readonly<Record<string, string | number>>): unknown => {
  const pad = "c".repeat(300_000);
  const text = JSON.stringify({ name: "web", info: { status: "deployed" }, chart: pad, labels });
  try {
    return readLargeRecord({ asked: {}, bytes: [Buffer.from(text)] }).told;
  } catch (error) {
    return error;
  }
};

test("of a large record of helm its labels go back, unless no object could have so many", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`label-${n}`, "v"]));
  expect(told({ team: "a" })).toMatchObject({ name: "web", labels: { team: "a", owner: "helm" } });
  expect(told(many(40_000))).toMatchObject({ labels: { "label-39999": "v" } });
  expect(told(many(80_000))).toMatchObject({ status: 422, errors: [{ pointer: "#/labels" }] });
});

test("of a large record with very many faults the first are told, in few words", () => {
  const name = "n".repeat(2000);
  const wrong = Array.from({ length: 5_000 }, (_, n) => [`${name}${n}`, n]);
  const error = told(Object.fromEntries(wrong) as Record<string, number>) as Problem;
  expect(error).toMatchObject({ status: 422 });
  expect(error.errors).toHaveLength(100);
  expect(JSON.stringify(error.errors).length).toBeLessThan(200_000);
});
