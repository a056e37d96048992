import { expect, test } from "vitest";
import { freeBytes } from "./free-bytes.ts";

test("bytes with memory of their own are freed, and no others", () => {
  const [own, shared] = [Buffer.from("x".repeat(100_000)), Buffer.from("y")];
  const part = Buffer.alloc(100_000, "z").subarray(1);
  for (const bytes of [own, shared, part]) freeBytes(bytes);
  expect([own.length, shared.toString(), part.length]).toEqual([0, "y", 99_999]);
});
