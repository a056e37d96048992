import { describe, expect, test } from "vitest";
import type { LogRecord } from "../../../shared/api/log-streams.ts";
import { logLines } from "./log-lines.ts";

const records = (count: number, body: string): LogRecord[] =>
  Array.from({ length: count }, (_, at) => ({
    cursor: String(at + 1),
    at: "2026-01-01T00:00:00.000000Z",
    severity: "info" as const,
    severity_number: 9,
    body,
    attributes: {},
    resource: {},
  }));
const shown = async (of: readonly LogRecord[], sought?: string): Promise<string> =>
  String(await logLines(of, { path: "/log", sought }));
const count = (text: string, part: string): number => text.split(part).length - 1;
const notice = "all the colours, marks and text that it has room for";

describe("the lines of a page", () => {
  test("have their colours, and what was searched for is marked", async () => {
    const text = await shown(records(1000, "\u001b[31mred\u001b[0m and <b>\n"), "RED");
    expect(count(text, '<span class="f1"><mark>red</mark></span> and &lt;b&gt;</span>')).toBe(1000);
    expect(text).not.toContain(notice);
  });

  test.each([
    ["marks", "a".repeat(16_000), "a"],
    ["colours", "\u001b[31ma\u001b[0mb".repeat(1500), undefined],
    ["rows", "\n".repeat(16_000), undefined],
    ["text", "&".repeat(16_000), undefined],
  ])("have so many %s and no more, and the page says so once", async (_, body, sought) => {
    const some = await shown(records(100, body), sought);
    const more = await shown(records(300, body), sought);
    expect(count(some, notice)).toBe(1);
    expect(count(more, notice)).toBe(1);
    expect(count(more, "<mark>")).toBe(count(some, "<mark>"));
    expect(count(more, "<mark>")).toBeLessThan(40_000);
    expect(count(more, '<span class="f1">')).toBeLessThan(40_000);
    expect(more.length).toBeLessThan(8 * 2 ** 20);
    expect(more.length - some.length).toBeLessThan(200 * 2000);
    expect(more).toContain('id="L300"');
    expect(more).toContain(`${body.length - 200} more characters in the download`);
  });
});
