import { describe, expect, test } from "vitest";
import { formatTook } from "../output/format-age.ts";
import { endWords } from "./job-end.ts";

const at = (s: number): string => new Date(Date.UTC(2026, 0, 1) + s * 1000).toISOString();
type Job = Parameters<typeof endWords>[0];

/** Of a job only what its last words are made of. */
const given = (more: Partial<Job>): Job =>
  ({
    id: "job_1",
    status: "failed",
    status_description: "Step one exited with code 3.",
    execution_time: 1.64e9,
    created_at: at(0),
    started_at: at(0.4),
    finished_at: at(2),
    logs_complete: true,
    ...more,
  }) as Job; // what is not named is not read

describe("the words about a job's end", () => {
  test("tell how long it ran, and how long it waited before where that is worth a word", () => {
    const why = ": Step one exited with code 3.";
    expect(endWords(given({}), undefined)).toBe(`job_1 failed after 1.6s${why}`);
    const late = given({ started_at: at(75), finished_at: at(77) });
    expect(endWords(late, undefined)).toBe(
      `job_1 failed after 1.6s (it waited 1m15s before)${why}`,
    );
    const never = given({ execution_time: 0, started_at: null, finished_at: at(9) });
    expect(endWords(never, undefined)).toBe(`job_1 failed (it waited 9.0s before)${why}`);
  });

  test("do not say again what the log has just said", () => {
    const said = "Step one exited with code 3.";
    expect(endWords(given({}), said)).toBe("job_1 failed after 1.6s.");
    expect(endWords(given({}), "something else")).toContain(said);
  });

  test.each([
    [0.25e9, "250ms"],
    [0.9996e9, "1.0s"],
    [1.44e9, "1.4s"],
    [9.96e9, "10s"],
    [75e9, "1m15s"],
  ])("tell %d ns as %s", (ns, text) => {
    expect(formatTook(ns)).toBe(text);
  });
});
