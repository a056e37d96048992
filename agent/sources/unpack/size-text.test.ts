import { expect, test } from "vitest";
import { sizeText } from "./size-text.ts";

test("a source of one file has one file, and one of none has no bytes", () => {
  expect(sizeText({ files: 1, bytes: 379 })).toBe("1 file, 379 bytes");
  expect(sizeText({ files: 0, bytes: 0 })).toBe("0 files, 0 bytes");
  expect(sizeText({ files: 2, bytes: 1 })).toBe("2 files, 1 byte");
});
