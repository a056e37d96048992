import { expect, test } from "vitest";
import { readLargeRecord } from "./read-large-record.ts";

const told = (labels: Readonly<Record<string, string>>): unknown => {
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
