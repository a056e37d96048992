import { describe, expect, test } from "vitest";
import { inTurns, ratio } from "./in-turns.ts";

describe("contestants in turns", () => {
  test("each is warmed up once, then all work in each round, every other round backwards", async () => {
    const worked: string[] = [];
    const named = (name: string) => ({
      work: async (seconds: number) => {
        worked.push(`${name} ${seconds}`);
        return { count: 10, seconds };
      },
      pids: {},
    });
    const onWarm = async (): Promise<void> => void worked.push("warm");
    await inTurns({ a: named("a"), b: named("b") }, { warmUpS: 9, seconds: 5, onWarm });
    expect(worked.slice(0, 3)).toEqual(["a 9", "b 9", "warm"]);
    expect(worked.slice(3, 9)).toEqual(["a 1", "b 1", "b 1", "a 1", "a 1", "b 1"]);
    expect(worked).toHaveLength(3 + 5 * 2);
  });

  test("a ratio is the median of the rounds' own, so that one disturbed round does not tell", () => {
    const ours = { rates: [200, 100, 2], cpuUs: {} };
    const theirs = { rates: [100, 50, 50], cpuUs: {} };
    expect(ratio(ours, theirs)).toEqual({ value: 2, note: "0.040–2.0 in 3 rounds" });
  });
});
