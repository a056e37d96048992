import { describe, expect, test } from "vitest";
import { readBenchArguments } from "../../bench/support/bench-arguments.ts";
import { inTurns, ratio } from "../../bench/support/in-turns.ts";
import { readCpuLine, useBetween } from "../../bench/support/machine-use.ts";

const known = ["lives", "beats"];
const read = (...args: string[]) => readBenchArguments(args, known);

describe("the arguments of a bench", () => {
  test("each bench runs once, in the order of the table", () => {
    expect(read("beats", "lives", "beats")).toMatchObject({ kind: "run", names: known });
    expect(read("all")).toMatchObject({ kind: "run", names: known });
  });

  test("ten seconds of warm-up are the default, and numbers are taken as given", () => {
    expect(read("lives")).toMatchObject({ options: { warmUpS: 10, seconds: 15, scale: 1 } });
    const given = read("lives", "--warm-up", "2", "--seconds=3", "--scale", "0.01", "--json");
    expect(given).toMatchObject({
      isJson: true,
      options: { warmUpS: 2, seconds: 3, scale: 0.01 },
    });
  });

  test.each([
    [["lifes"], 'There is no bench "lifes".'],
    [["all", "lifes"], 'There is no bench "lifes".'],
    [["lives", "--fast"], "Unknown option '--fast'."],
    [["lives", "--seconds", "soon"], "--seconds takes a number above 0."],
    [["lives", "--seconds"], "Option '--seconds <value>' argument missing."],
    [[], "Name one or more benches, or all."],
  ])("%j is refused in one line that names the way to help", (args, sentence) => {
    const line = `${sentence} "node bench/main.ts --help" lists benches and options.`;
    expect(read(...args)).toEqual({ kind: "wrong", line });
  });

  test("help is asked for with anything beside it", () => {
    expect(read("lifes", "--help")).toEqual({ kind: "help" });
  });
});

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

describe("the machine's use", () => {
  test("what is neither idle nor ours is foreign, the kernel's and the neighbours' time included", () => {
    const stat = (ticks: string) => readCpuLine(`cpu  ${ticks} 0 0\ncpu0 1 2 3\n`);
    const before = { ...stat("100 100 100 100 100 0 0 0"), ownS: 1 };
    const after = { ...stat("200 300 200 250 150 0 100 200"), ownS: 3 };
    // 9 s in all, of which 2 s idle or waiting for the disk and 2 s ours.
    const { idle, foreign } = useBetween(before, after);
    expect(idle).toBeCloseTo(2 / 9);
    expect(foreign).toBeCloseTo(5 / 9);
  });

  test("rounding makes no negative share", () => {
    const before = { totalS: 0, idleS: 0, ownS: 0 };
    expect(useBetween(before, { totalS: 2, idleS: 0, ownS: 2.01 }).foreign).toBe(0);
  });
});
