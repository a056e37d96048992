import { describe, expect, test } from "vitest";
import { readBenchArguments } from "./bench-arguments.ts";
import { benchUsage } from "./bench-usage.ts";

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

test("help says all of what a bench measures, in 80 columns", () => {
  const what = "one org's configs, templates, readmes and dead webhooks: another org's requests";
  const usage = benchUsage({ noise: { what }, "agent-children": { what: "children" } });
  expect(usage.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(usage.replaceAll(/\s+/g, " ")).toContain(`noise ${what} agent-children children`);
});
