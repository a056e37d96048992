import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isEndedStep } from "../shared/workflow-step.ts";
import { isFinishedWorkflow } from "../shared/workflow.ts";
import { walks } from "./support/model/walks.ts";
import { type Model, walk } from "./support/workflows/machine-model.ts";
import { type Wish, wishWeights } from "./support/workflows/model-wishes.ts";

const outcomes = fc.constantFrom("done", "wait", "fault", "fault", "plan", "job", "job");
const step = fc.record({
  begin: outcomes,
  skippable: fc.boolean(),
  skipOnFailure: fc.constantFrom(false, false, false, true),
  autoRetries: fc.constantFrom(0, 0, 0, 2),
});
/** All steps of a group are retried with it, or each by itself. */
const group = fc
  .record({
    parallel: fc.boolean(),
    retriesGroup: fc.boolean(),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  })
  .map(({ parallel, retriesGroup, steps }) => ({
    parallel,
    steps: steps.map((one) => ({ ...one, retriesGroup })),
  }));
const wishes = fc.array(
  fc.oneof(
    ...Object.entries(wishWeights).map(([wish, weight]) => ({
      weight,
      arbitrary: fc.constant(wish as Wish),
    })),
  ),
  { maxLength: 60 },
);

const lane = fc.constantFrom("changes", "actions");

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
  expect(model.endedEarly).toEqual([]);
  expect(model.beganOutside).toEqual([]);
  const isOver = isFinishedWorkflow(workflow.status);
  expect(isOver && steps.some((one) => !isEndedStep(one.status))).toBe(false);
  // No workflow goes on past a step that was cancelled, but as another try of its group.
  const live = groups.filter(
    ({ group_idx: at, group_retry_idx: tries }) =>
      !groups.some((other) => other.group_idx === at && other.group_retry_idx > tries),
  );
  const isLive = (one: (typeof steps)[number]) =>
    !one.is_retried && live.some(({ id }) => id === one.group_id);
  const cancelled = steps.filter((one) => one.status === "cancelled" && isLive(one));
  expect(workflow.status === "success" ? cancelled : []).toEqual([]);
  // The last word of a workflow that has finished is its own: no step's end comes after it.
  const last = isOver && workflow.error === null ? model.events.at(-1) : undefined;
  expect(last?.kind ?? "workflow").toBe("workflow");
}

test("a workflow walked at random, with repeated looks, moves by the tables and tells each begin and end once", () => {
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 1, maxLength: 3 }),
      wishes,
      lane,
      (groups, asked, at) => {
        const model = walk(groups, asked, { lane: at });
        tell(model);
        expect(at === "changes" ? model.yields : 0).toBe(0);
      },
    ),
    walks(200),
  );
});

test("whatever happened, a workflow comes to an end once all that it waits for comes", () => {
  fc.assert(
    fc.property(
      fc.array(group, { minLength: 1, maxLength: 3 }),
      wishes,
      lane,
      (groups, asked, at) => {
        const model = walk(groups, asked, { toTheEnd: true, lane: at });
        expect(isFinishedWorkflow(model.snapshot.workflow.status)).toBe(true);
        tell(model);
      },
    ),
    walks(200),
  );
});

describe("a workflow that waits for a person", () => {
  const plan = { begin: "plan", skippable: true, skipOnFailure: false, autoRetries: 0 } as const;
  const job = { ...plan, begin: "job" } as const;
  const places = (asked: readonly Wish[], at: string, parallel = false) => {
    const steps = [plan, job].map((one) => ({ ...one, retriesGroup: false }));
    const { snapshot, yields } = walk([{ parallel, steps }], asked, { lane: at });
    return { place: snapshot.signal_status, yields, status: snapshot.workflow.status };
  };

  test("gives its place back in the lane of actions, and goes on with the next step when it has one again", () => {
    const waits = { place: "retrying", yields: 1, status: "approval-awaiting" };
    expect(places(["turn"], "actions")).toEqual(waits);
    expect(places(["turn", "approve"], "actions")).toMatchObject({ place: "queued" });
    expect(places(["turn", "approve", "turn", "job-finished"], "actions").status).toBe("success");
    expect(places(["turn", "approve", "turn", "job-failed"], "actions")).toEqual({
      place: "retrying",
      yields: 2,
      status: "failed-pending-retry",
    });
    const again = ["turn", "approve", "turn", "job-failed", "retry"] as const;
    expect(places(again, "actions")).toMatchObject({ place: "queued", status: "in-progress" });
    expect(places([...again, "turn", "job-finished"], "actions").status).toBe("success");
  });

  test("keeps its place in the lane of changes, and while another step of its group runs", () => {
    expect(places(["turn"], "changes")).toMatchObject({ place: "in-flight", yields: 0 });
    expect(places(["turn"], "actions", true)).toMatchObject({ place: "in-flight", yields: 0 });
    expect(places(["turn", "job-finished"], "actions", true)).toMatchObject({ place: "retrying" });
    const denied = places(["turn", "job-finished", "deny"], "actions", true);
    expect(denied).toMatchObject({ place: null, status: "error" }); // nothing more begins: it needs no place to end
  });
});

describe("a group that is retried whole", () => {
  const failing = {
    begin: "fault",
    skippable: true,
    skipOnFailure: false,
    retriesGroup: true,
    autoRetries: 0,
  } as const;
  const rowsOf = ({ snapshot }: Model) =>
    snapshot.steps.map(
      ({ idx, retry_index: tries, status }) => `step ${idx}, try ${tries}: ${status}`,
    );

  test("leaves no step behind that failed beside the one that somebody retried", () => {
    const model = walk([{ parallel: true, steps: [failing, failing] }], ["turn", "retry", "retry"]);
    expect(rowsOf(model).toSorted()).toEqual([
      "step 0, try 0: error",
      "step 0, try 1: error",
      "step 0, try 2: success",
      "step 1, try 0: error",
      "step 1, try 1: error",
      "step 1, try 2: success",
    ]);
    expect(model.snapshot.workflow.status).toBe("success");
    tell(model);
  });

  test("is tried again by itself with all its steps, after a while", () => {
    const groups = [
      {
        parallel: false,
        steps: [
          { ...failing, begin: "done" },
          { ...failing, autoRetries: 1 },
        ],
      },
    ] as const;
    const waiting = walk(groups, ["turn"]);
    expect(rowsOf(waiting).toSorted()).toEqual([
      "step 0, try 0: success",
      "step 0, try 1: pending",
      "step 1, try 0: error",
      "step 1, try 1: pending",
    ]);
    expect(waiting.snapshot.workflow.status).toBe("in-progress");
    const again = walk(groups, ["turn", "hours"]);
    expect(rowsOf(again)).toContain("step 1, try 1: failed-pending-retry");
    expect(again.snapshot.workflow.status).toBe("failed-pending-retry");
    tell(again);
  });
});
