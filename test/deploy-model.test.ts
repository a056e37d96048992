import fc from "fast-check";
import { expect, test } from "vitest";
import type { DeployRow, TargetRow } from "../broker/workflows/machine/deploy-rows.ts";
import { isEndedDeploy } from "../shared/deploy-statuses.ts";
import { isFinishedWorkflow } from "../shared/workflow.ts";
import { walks } from "./support/model/walks.ts";
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
/** What is said to be deployed was applied, or was nothing to be done; or it stands since before. */
function isTrue(
  { deployed_id: id, name }: TargetRow,
  deploys: readonly DeployRow[],
  isTeardown: boolean,
): boolean {
  const deploy = deploys.find((one) => one.id === id);
  if (deploy !== undefined) return deploy.status === "active" || deploy.status === "noop";
  return id === null || (isTeardown && id === `dep_${name}`);
}

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
      expect(
        model.targets().filter((target) => !isTrue(target, model.deploys(), isTeardown)),
      ).toEqual([]);
      expect(toTheEnd && !isFinishedWorkflow(snapshot.workflow.status)).toBe(false);
    }),
    walks(150),
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
