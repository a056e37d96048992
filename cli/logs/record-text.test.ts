import { describe, expect, test } from "vitest";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { recordText } from "./record-text.ts";

const at = "2026-11-21T08:30:00.123456Z";
const record = (more: Partial<LogRecord>): LogRecord => ({
  cursor: "1",
  at,
  severity: "info",
  severity_number: 9,
  body: "hello",
  attributes: {},
  resource: {},
  ...more,
});
const plain = { isRaw: false, hasTimestamps: true, hasColor: false };

describe("a record's text", () => {
  test("tells when, in which step, and how bad", () => {
    expect(recordText(record({}), plain)).toBe("2026-11-21T08:30:00.123Z hello");
    expect(recordText(record({ step: "apply", severity: "error" }), plain)).toBe(
      "2026-11-21T08:30:00.123Z [apply] ERROR hello",
    );
    expect(recordText(record({ step: "apply" }), { ...plain, hasTimestamps: false })).toBe(
      "[apply] hello",
    );
  });

  test.each([
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["up \u001b[2Aand over", "up and over"],
    ["notifier\u0007 back\u0008space", "notifier backspace"],
    ["50%\r100%\r\ndone\n", "50%\n100%\ndone"],
    ["tab\tstays, so does größe ✓", "tab\tstays, so does größe ✓"],
  ])("of %j cannot steer a terminal", (body, expected) => {
    expect(recordText(record({ body }), { ...plain, hasTimestamps: false })).toBe(expected);
  });

  test("keeps colours where they are wanted, and ends them", () => {
    const style = { isRaw: false, hasTimestamps: false, hasColor: true };
    const body = "\u001b[1;31mred\u001b[2J";
    expect(recordText(record({ body }), style)).toBe("\u001b[1;31mred\u001b[0m");
  });

  test("is the body alone when it is to be raw", () => {
    const body = "\u001b[2Jas it was\r\n";
    const text = recordText(record({ body, step: "apply" }), { ...plain, isRaw: true });
    expect(text).toBe("\u001b[2Jas it was");
  });
});
