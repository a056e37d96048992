import { expect, it } from "vitest";
import { takeRandomBytes } from "./random-bytes.ts";

it("gives each byte to one caller only, also where a block ends", () => {
  const taken = Array.from({ length: 500 }, (_, nth) => takeRandomBytes(10 + (nth % 7)));
  const places = taken.flatMap((bytes) =>
    Array.from(bytes, (_, at) => ({ buffer: bytes.buffer, at: bytes.byteOffset + at })),
  );
  const buffers = new Map(
    [...new Set(places.map(({ buffer }) => buffer))].map((one, n) => [one, n]),
  );
  expect(buffers.size).toBeGreaterThan(1);
  expect(new Set(places.map(({ buffer, at }) => `${buffers.get(buffer)} ${at}`)).size).toBe(
    places.length,
  );
  expect(taken.every((bytes, nth) => bytes.length === 10 + (nth % 7))).toBe(true);
  expect(() => takeRandomBytes(5000)).toThrow(RangeError);
});
