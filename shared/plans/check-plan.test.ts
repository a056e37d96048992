import { describe, expect, test } from "vitest";
import { runnerJobTypeNames } from "../runner-job-types.ts";
import { checkPlan } from "./check-plan.ts";

describe("a plan", () => {
  test.each(runnerJobTypeNames)("of %s may be empty, and may say more than we know", (type) => {
    expect(checkPlan(type, {})).toEqual([]);
    expect(checkPlan(type, { of_tomorrow: [1, { a: null }] })).toEqual([]);
  });

  test("may hold null for anything, as clients send it", () => {
    const plan = { install_id: null, terraform: { vars: null, env_vars: null, vars_files: null } };
    expect(checkPlan("terraform-deploy", plan)).toEqual([]);
    expect(checkPlan("actions-workflow", { steps: null, timeout: null })).toEqual([]);
  });

  test("names a registry, or says how to reach it", () => {
    for (const registry of ["ghcr.io/acme", { url: "ghcr.io/acme", auth: { kind: "token" } }]) {
      expect(checkPlan("oci-sync", { src_registry: registry, src_tag: "v1" })).toEqual([]);
    }
    expect(checkPlan("oci-sync", { src_registry: 1 })).toMatchObject([{ path: ["src_registry"] }]);
  });

  test("with a member of another type is wrong at that member", () => {
    const plan = { terraform: { env_vars: { "a/b": 1 } }, component_id: 7 };
    expect(checkPlan("terraform-deploy", plan)).toMatchObject([
      { path: ["component_id"], code: "invalid_type" },
      { path: ["terraform", "env_vars", "a/b"], code: "invalid_type" },
    ]);
    const steps = [{ run_id: "r" }, { run_id: 2 }];
    expect(checkPlan("actions-workflow", { steps })).toMatchObject([
      { path: ["steps", 1, "run_id"] },
    ]);
  });

  test("of a type without a shape may be any object", () => {
    expect(checkPlan("noop", { steps: 1, vars: "x" })).toEqual([]);
  });
});
