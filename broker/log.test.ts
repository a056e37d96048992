import { describe, expect, test } from "vitest";
import { mintToken } from "../shared/token.ts";
import { openLog, withoutTokens } from "./log.ts";

function openTestLog() {
  const lines: string[] = [];
  return { lines, log: openLog("info", { write: (line) => void lines.push(line) }) };
}

describe("the log", () => {
  test("is lines of JSON with level and time", () => {
    const { lines, log } = openTestLog();
    log.info({ route: "/v1/roles" }, "request");
    const line = JSON.parse(lines[0] ?? "") as Record<string, unknown>;
    expect(line).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      route: "/v1/roles",
      msg: "request",
    });
  });

  test("cuts secrets out by their name, two levels deep", () => {
    const { lines, log } = openTestLog();
    log.info(
      { token: "a-1", headers: { authorization: "b-2" }, body: { job: { plan: "c-3" } } },
      "x",
    );
    expect(lines.join()).not.toMatch(/a-1|b-2|c-3/);
    expect(lines.join()).toContain("[secret]");
  });

  test("cuts tokens out wherever they stand, errors and their stacks included", () => {
    const { lines, log } = openTestLog();
    const token = mintToken("rt");
    log.error({ err: new Error(`refused ${token}`), url: `/x?token=${token}` }, `with ${token}`);
    expect(lines.join()).not.toContain(token.slice(8));
    expect(withoutTokens(`a ${token} b`)).toBe("a svc_rt_[secret] b");
  });
});
