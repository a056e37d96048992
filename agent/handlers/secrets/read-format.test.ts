import { expect, test } from "vitest";
import type { SecretFormat } from "../../../shared/plans/sync-secrets-plan.ts";
import { readFormat } from "./read-format.ts";

test.each<[SecretFormat, string, string]>([
  ["default", " any text\n", " any text\n"],
  ["default", "", ""],
  ["base64", "aGk/aGk+", "hi?hi>"],
  ["base64", "aGk_aGk-", "hi?hi>"],
  ["base64", "aG\nk=\n", "hi"],
  ["base64", "aGk", "hi"],
  ["json", '{"a":[1]}', '{"a":[1]}'],
])("a value of format %s: %j stands for %j", (format, value, bytes) => {
  expect(readFormat(Buffer.from(value), format).toString()).toBe(bytes);
});

test("bytes that are no text stay as they are", () => {
  const bytes = Buffer.from([0xff, 0x00, 0xc3]);
  expect(readFormat(bytes, "default")).toEqual(bytes);
});

test.each<[SecretFormat, string | Uint8Array]>([
  ["base64", "no base64!"],
  ["base64", "aGk+_"],
  ["base64", "aGkhh"],
  ["base64", "aGk=="],
  ["json", "{not json"],
  ["json", Buffer.from([0x22, 0xff, 0x22])],
])("a value that is no %s is refused, and not shown: %j", (format, value) => {
  const read = (): unknown => readFormat(Buffer.from(value), format);
  expect(read).toThrow(
    expect.objectContaining({ class: "format", message: `its value is not ${names[format]}` }),
  );
});

const names: Readonly<Record<string, string>> = { base64: "base64", json: "JSON" };
