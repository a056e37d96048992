import fc from "fast-check";
import { expect, test } from "vitest";
import { isEndedStep } from "../shared/workflow-step.ts";
import { isFinishedWorkflow } from "../shared/workflow.ts";
import { type Model, type Wish, walk } from "./support/workflows/machine-model.ts";

const outcomes = fc.constantFrom("done", "wait", "fault", "plan", "job");
const step = fc.record({
  begin: outcomes,
  skippable: fc.boolean(),
  skipOnFailure: fc.boolean(),
  retriesGroup: fc.boolean(),
  autoRetries: fc.constantFrom(0, 0, 2),
});
const group = fc.record({
  parallel: fc.boolean(),
  steps: fc.array(step, { minLength: 1, maxLength: 3 }),
});
const wishes = fc.array(
  fc.constantFrom<Wish>(
    "look",
    "look",
    "turn",
    "job-finished",
    "job-failed",
    "job-cancelled",
    "condition",
    "approve",
    "deny",
    "deny-skip-current",
    "replan",
    "approve-all",
    "retry",
    "skip",
    "cancel",
    "cancel-step",
    "resume",
    "hours",
    "days",
  ),
  { maxLength: 60 },
);

/** Events by what they are about. */
function tell(model: Model): void {
  const { workflow, runs, groups, steps } = model.snapshot;
  const own = model.events.filter(({ kind }) => kind === "workflow");
  const begun = runs.filter(({ started_at: at }) => at !== null);
  expect(own.filter(({ transition }) => transition === "started")).toHaveLength(begun.length);
  const over = begun.filter(({ finished_at: at }) => at !== null);
  expect(own.filter(({ transition }) => transition !== "started")).toHaveLength(over.length);
  for (const one of steps) {
    const said = model.events.filter(({ step_id: id }) => id === one.id).map((e) => e.transition);
    const starts = said.filter((transition) => transition === "started");
    expect(starts).toHaveLength(one.started_at === null ? 0 : 1);
    const ends = said.filter((word) => ["succeeded", "failed", "cancelled"].includes(word));
    const isOver = isEndedStep(one.status) || one.status === "failed-pending-retry";
    expect(ends).toHaveLength(isOver && one.started_at !== null ? 1 : 0);
    expect(said[0] ?? "started").toBe("started");
  }
  // A group that is tried again has every step that it had.
  const placesOf = (id: string) =>
    [...new Set(steps.filter(({ group_id }) => group_id === id).map(({ idx }) => idx))].sort(
      (a, b) => a - b,
    );
  for (const one of groups.filter(({ group_retry_idx: tries }) => tries > 0)) {
    const first = groups.find((g) => g.group_idx === one.group_idx && g.group_retry_idx === 0);
    expect(placesOf(one.id)).toEqual(placesOf(first?.id ?? ""));
  }
  const isOver = isFinishedWorkflow(workflow.status);
  expect(isOver && steps.some((one) => !isEndedStep(one.status))).toBe(false);
  // The last word of a workflow that has finished is its own: no step's end comes after it.
  const last = isOver && workflow.error === null ? model.events.at(-1) : undefined;
  expect(last?.kind ?? "workflow").toBe("workflow");
}

test("a workflow walked at random, with repeated looks, moves by the tables and tells each begin and end once", () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), wishes, (groups, asked) => {
      const model = walk(groups, asked);
      tell(model);
    }),
    { numRuns: 2000, ...(process.env["CI"] !== undefined && { seed: 20261126 }) },
  );
});

test("whatever happened, a workflow comes to an end once all that it waits for comes", () => {
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), wishes, (groups, asked) => {
      const model = walk(groups, asked, { toTheEnd: true });
      expect(isFinishedWorkflow(model.snapshot.workflow.status)).toBe(true);
      tell(model);
    }),
    { numRuns: 1000, ...(process.env["CI"] !== undefined && { seed: 20261126 }) },
  );
});
