import { expect, test } from "vitest";
import { textHider } from "./text-hider.ts";

test("secrets are hidden as they are, as JSON has them and in base64; short ones are not", () => {
  const hide = textHider(['say "hi"', "word-1", "word-1-longer", "abc", "(secret)"]);
  expect(hide("a word-1 and word-1-longer, abc")).toBe("a (secret) and (secret), abc");
  expect(hide(JSON.stringify({ a: 'say "hi"' }))).toBe('{"a":"(secret)"}');
  expect(hide(`x ${Buffer.from("word-1").toString("base64")}`)).toBe("x (secret)");
  expect(hide("word-1word-1")).toBe("(secret)(secret)");
  expect(hide("nothing (secret) here")).toBe("nothing (secret) here");
  expect(textHider([])("word-1")).toBe("word-1");
});

test("of a secret that was cut off nothing is left", () => {
  const key = Array.from({ length: 5_000 }, (_, n) => n.toString(36)).join("");
  expect(textHider([key])(`key: ${key.slice(0, 2_000)}`)).toBe("key: (secret)");
});

test("secrets that make it costly end it, with everything hidden", () => {
  const secrets = Array.from({ length: 1_000 }, (_, n) => `${"a".repeat(3_000)}${n}`);
  const hide = textHider(secrets);
  const from = performance.now();
  expect(hide("a".repeat(64 * 1024))).toBe("(secret)");
  expect(hide("aaaa".repeat(1_000))).toBe("(secret)");
  expect(performance.now() - from).toBeLessThan(2_000);
  expect(textHider(Array.from({ length: 30_000 }, (_, n) => `secret-${n}`))("x")).toBe("(secret)");
});
