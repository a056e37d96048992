import { expect, test } from "vitest";
import { problemKinds, type StatsOverview } from "../../shared/api/stats-overview.ts";
import { parseLine } from "../../shared/command-line/parse-line.ts";
import { wholeProgram } from "../program.ts";
import { nextSteps, problemsText } from "./problem-text.ts";

const whole = await wholeProgram();

type Problem = StatsOverview["problems"][number];

function given(kind: Problem["kind"], count: number, waiting: number | null = null): Problem {
  const items = Array.from({ length: Math.min(count, 10) }, (_, at) => {
    return { id: `id_${at}`, name: "", since: null, waiting };
  });
  return { kind, count, items };
}

test("of each kind five are named, and all are counted", () => {
  expect(problemsText([])).toBe("none");
  expect(problemsText([given("jobs-failed", 49), given("signals-dead", 1, 100)])).toBe(
    [
      "jobs that did not succeed in the last hour (49):",
      ...[0, 1, 2, 3, 4].map((n) => `  id_${n}`),
      "  and 44 more",
      "queues with dead signals (1):",
      "  id_0  100+ dead",
    ].join("\n"),
  );
});

test("of one event one is told", () => {
  expect(problemsText([given("webhook-failing", 1, 1)])).toContain("  1 event did not arrive");
  expect(problemsText([given("webhook-disabled", 1, 2)])).toContain("  2 events failed before");
});

test.each(problemKinds)("what is to be typed next about %s is a command", (kind) => {
  const [step = ""] = nextSteps([given(kind, 2)]);
  const [, typed = ""] = /: svc (.+)$/.exec(step) ?? [];
  expect(parseLine(typed.split(" "), whole)).toMatchObject({ kind: "run" });
  expect(typed).toContain("id_0");
});
