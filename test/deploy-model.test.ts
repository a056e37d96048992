import fc from "fast-check";
import { expect, test } from "vitest";
import { isEndedDeploy } from "../shared/deploy-statuses.ts";
import { isFinishedWorkflow } from "../shared/workflow.ts";
import { deployModel } from "./support/workflows/deploy-model.ts";
import { deployWishWeights } from "./support/workflows/deploy-wishes.ts";
import { walk } from "./support/workflows/machine-model.ts";
import { type Wish, wishWeights } from "./support/workflows/model-wishes.ts";

const wishes = fc.array(
  fc.oneof(
    ...Object.entries({ ...wishWeights, ...deployWishWeights }).map(([wish, weight]) => ({
      weight,
      arbitrary: fc.constant(wish as Wish),
    })),
  ),
  { maxLength: 80 },
);
const runs = { numRuns: 1500, ...(process.env["CI"] !== undefined && { seed: 20261130 }) };

test.each([
  ["deployed", false],
  ["torn down", true],
])("what is %s at random is what somebody approved, once", (_, isTeardown) => {
  fc.assert(
    fc.property(wishes, fc.boolean(), (asked, toTheEnd) => {
      const model = deployModel(isTeardown);
      const { snapshot } = walk(model, asked, { toTheEnd });
      expect(model.wrong).toEqual([]);
      expect(model.applied.filter(({ approved }) => !approved)).toEqual([]);
      if (!isFinishedWorkflow(snapshot.workflow.status)) return;
      // Nothing of a workflow that is over is open, and what is said to be deployed was applied, or was nothing to be done.
      expect(model.deploys().filter(({ status }) => !isEndedDeploy(status))).toEqual([]);
      for (const { deployed_id: id, name } of model.targets()) {
        const deploy = model.deploys().find((one) => one.id === id);
        if (deploy !== undefined) expect(["active", "noop"]).toContain(deploy.status);
        else if (!isTeardown) expect(id).toBeNull();
        else if (id !== null) expect(id).toBe(`dep_${name}`);
      }
      expect(toTheEnd && !isFinishedWorkflow(snapshot.workflow.status)).toBe(false);
    }),
    runs,
  );
});

test("a plan that was approved waits for its turn, and is not carried out once the state has moved on", () => {
  const asked = ["turn", "job-finished", "busy", "approve", "state-moved", "busy"] as const;
  const model = deployModel(false);
  const { snapshot } = walk(model, asked);
  expect([model.applied, model.wrong]).toEqual([[], []]);
  expect(snapshot.steps.map(({ error }) => error?.code)).toContain("plan_changed");
});

test("a workflow that approves all deploys everything, without a word of anybody", () => {
  const jobs = Array.from({ length: 6 }, () => ["job-finished", "look"] as const).flat();
  const model = deployModel(false);
  const { snapshot } = walk(model, ["turn", "approve-all", ...jobs]);
  expect(snapshot.workflow.status).toBe("success");
  expect(model.applied).toHaveLength(3);
  expect(model.targets().map(({ status }) => status)).toEqual(["active", "active", "active"]);
});
