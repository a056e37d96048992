import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { RunnerJobExecutionResult } from "../../shared/api/runner-job-execution.ts";
import { applyPlanText } from "../plans/apply-plan-text.ts";
import { plannedTerraform } from "./planned-terraform.ts";

const plan = Buffer.from("a saved plan");
const digest = createHash("sha256").update(plan).digest("hex");

const result = (given: Partial<RunnerJobExecutionResult> = {}): RunnerJobExecutionResult => ({
  id: "res_1",
  org_id: "org_1",
  runner_job_execution_id: "exe_1",
  success: true,
  error_code: 0,
  error_metadata: {},
  composite_error: null,
  contents: JSON.stringify({ has_changes: true, plan_sha256: digest, lock_sha256: null }),
  contents_display: "+ one",
  contents_gzip: plan.toString("base64"),
  contents_display_gzip: "c2hvd24=",
  created_at: "2026-11-22T10:00:00.000Z",
  ...given,
});

describe("the plan of the job that applies", () => {
  test("is that of the job that planned, byte for byte, with what was approved", () => {
    const text = '{"terraform": {"vars": {"n": 12345678901234567890}}}\n';
    const applied = applyPlanText(text, plannedTerraform("job_1", result()));
    expect(applied).toContain('{"terraform": {"vars": {"n": 12345678901234567890}}');
    expect(JSON.parse(applied)).toMatchObject({
      apply_plan_contents: plan.toString("base64"),
      apply_plan_display: "c2hvd24=",
      approved: { plan_sha256: digest },
    });
  });

  test("goes without what people have seen when that is too large, and is refused when it is too large all the same", () => {
    const large = "A".repeat(12 * 2 ** 20);
    const shown = plannedTerraform("job_1", result({ contents_display_gzip: large }));
    const text = JSON.stringify({ terraform: { source: { archive: "B".repeat(6 * 2 ** 20) } } });
    expect(JSON.parse(applyPlanText(text, shown))).not.toHaveProperty("apply_plan_display");
    const planned = plannedTerraform("job_1", result({ contents_gzip: large }));
    expect(() => applyPlanText(text, planned)).toThrow(/16 MiB are the most/);
  });

  test("is none where the job brought none, or this token does not see it", () => {
    const { contents_gzip: _, ...verdict } = result();
    expect(() => plannedTerraform("job_1", verdict)).toThrow(/plans\.secrets/);
    expect(() => plannedTerraform("job_1", undefined)).toThrow(/job_1 has brought no plan/);
  });
});
