import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutAt, streamed } from "../../test/support/agent/redacted-stream.ts";
import { makeRedactor } from "./redactor.ts";

describe("wrapped base64", () => {
  test.each([
    ["base64", 76, "\n"],
    ["openssl", 64, "\r\n"],
    ["YAML", 60, "\n    "],
    ["a string in JSON", 76, "\\n"],
  ])("hides its secrets as %s wraps it, wherever they stand", (_, width, end) => {
    const lengths = fc.integer({ min: 8, max: 200 });
    fc.assert(
      fc.property(lengths, fc.nat({ max: 200 }), fc.array(fc.nat()), (length, before, cuts) => {
        const secret = randomText(length);
        const file = `${"x".repeat(before)}${secret}${"y".repeat(90)}`;
        const whole = Buffer.from(file).toString("base64");
        const wrapped = whole.replaceAll(new RegExp(`.{${width}}`, "g"), `$&${end}`);
        const out = streamed(makeRedactor([secret]), cutAt(Buffer.from(wrapped), cuts));
        const shown = out.replaceAll("\\n", "").replaceAll(/\s/g, "").split("***");
        expect(shown).toHaveLength(2);
        // What depends on a neighbour may be seen: less than two characters on each side.
        const hidden = whole.length - shown.join("").length;
        expect(hidden).toBeGreaterThanOrEqual(Math.floor((length * 8) / 6) - 2);
      }),
      { numRuns: 200 },
    );
  });

  test("is not seen in words that end lines", () => {
    const { redactText } = makeRedactor(["correcthorse"]);
    expect(redactText("this is correct\nhorse")).toBe("this is correct\nhorse");
  });

  test("does not hold back lines that have ended", () => {
    const stream = makeRedactor(["correct-horse-battery"]).stream();
    const line = "a line that ends as the secret begins: correct\n";
    expect(stream.push(Buffer.from(line)).toString()).toBe(line);
  });
});

const randomText = (length: number): string =>
  Array.from({ length }, () => letters[Math.floor(Math.random() * letters.length)]).join("");
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_+/ =";
