import { describe, expect, test } from "vitest";
import { runnerJobTypeNames } from "../runner-job-types.ts";
import { checkPlan } from "./check-plan.ts";

describe("a plan", () => {
  test.each(runnerJobTypeNames)("of %s may be empty, and may say more than we know", (type) => {
    expect(checkPlan(type, {})).toEqual([]);
    expect(checkPlan(type, { of_tomorrow: [1, { a: null }] })).toEqual([]);
  });

  test.each(runnerJobTypeNames)("of %s is an object", (type) => {
    for (const plan of [null, [], "text", 1, true]) {
      expect(checkPlan(type, plan)).toMatchObject([{ pointer: "#/plan", code: "invalid_type" }]);
    }
  });

  test("may hold null for anything, as clients send it", () => {
    const plan = { install_id: null, terraform: { vars: null, env_vars: null, vars_files: null } };
    expect(checkPlan("terraform-deploy", plan)).toEqual([]);
    expect(checkPlan("actions-workflow", { steps: null, timeout: null })).toEqual([]);
  });

  test("with a member of another type is refused at that member", () => {
    const plan = { terraform: { env_vars: { "a/b": 1 } }, component_id: 7 };
    expect(
      checkPlan("terraform-deploy", plan, "#/jobs/3/plan").map(({ pointer }) => pointer),
    ).toEqual(["#/jobs/3/plan/component_id", "#/jobs/3/plan/terraform/env_vars/a~1b"]);
  });

  test("of a type without a shape may be any object", () => {
    expect(checkPlan("noop", { steps: 1, vars: "x" })).toEqual([]);
  });
});
