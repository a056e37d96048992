import { describe, expect, test } from "vitest";
import { isRunning, parseStat, readStat, signalProcess } from "./process-identity.ts";

const fields = "S 1 4711 4711 0 -1 4194560 5 0 0 0 1 2 0 0 20 0 1 0 987654 1000 2";

describe("a process's identity", () => {
  test.each(["sh", "a b", "a) S 1 2 3 (b", ")", "tmux: server", ""])(
    "is read whatever the process is called: %s",
    (name) => {
      expect(parseStat(`42 (${name}) ${fields}\n`)).toEqual({
        pid: 42,
        startTime: "987654",
        state: "S",
        group: 4_711,
        session: 4_711,
      });
    },
  );

  test("is not found in what is no line of the kernel's", () => {
    for (const text of ["", "\n", "x (y) S", "42 (sh) S 1"])
      expect(parseStat(text)).toBeUndefined();
  });

  test("is one's own only with the right start time", () => {
    const own = readStat(process.pid);
    if (own === undefined) throw new Error("this process runs");
    expect(isRunning(own)).toBe(true);
    const later = { ...own, startTime: `${Number(own.startTime) + 1}` };
    expect(isRunning(later)).toBe(false);
    expect(signalProcess(later, "SIGKILL")).toBe(false);
  });
});
