import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fromPieces, toPieces } from "./value-pieces.ts";

describe("the pieces of a value", () => {
  test.each([
    { jobs: [{ a: 1 }, { b: "ä".repeat(300_000) }, { c: [] }] },
    { jobs: [] },
    { callbacks: [{}], type: "noop" },
    {},
  ])("are the same value again: %#", async (value) => {
    const { told, json } = toPieces(value);
    expect(await fromPieces(told, json)).toEqual(value);
  });

  test("are those of its list, and let others have their turn between them", async () => {
    const value = { jobs: [1, 2, 3, 4, 5].map((n) => ({ text: String(n).repeat(200_000) })) };
    const { told, json } = toPieces(value);
    expect(told).toEqual({ list: "jobs", ends: [1, 2, 3, 4, 5].map((n) => n * 200_011) });
    let isRead = false;
    const read = fromPieces(told, json).finally(() => (isRead = true));
    await turn();
    expect(isRead).toBe(false);
    expect(await read).toEqual(value);
  });

  test("of which one is too large are refused, and the member is named", () => {
    const one = { context: { a: "x".repeat(90), b: "y".repeat(90) }, type: "work" };
    const wrong = (pointer: string) => ({ status: 422, errors: [{ pointer, code: "too_large" }] });
    const refused = (value: Record<string, unknown>): unknown => {
      try {
        return toPieces(value, 200);
      } catch (error) {
        return error;
      }
    };
    expect(refused({ signals: [{ type: "work" }, one] })).toMatchObject(
      wrong("#/signals/1/context"),
    );
    expect(refused(one)).toMatchObject(wrong("#/context"));
  });
});
