import { createHash } from "node:crypto";
import { z } from "zod";
import type { RunnerJobExecutionResult } from "../../shared/api/runner-job-execution.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import type { Planned } from "../plans/plan-kind.ts";

const summarySchema = z.looseObject({
  has_changes: z.boolean().catch(true),
  has_drift: z.boolean().catch(false),
  plan_sha256: z.string().nullish(),
  lock_sha256: z.string().nullish(),
  source_revision: z.string().nullish(),
});

/** Reads what a planning job brought: a saved plan, and its digest for who applies it. A UsageError when it is not to be had. */
export function plannedTerraform(
  jobId: string,
  result: RunnerJobExecutionResult | undefined,
): Planned {
  const plan = result?.contents_gzip;
  if (plan === undefined) {
    throw new UsageError(
      `${jobId} has brought no plan that can be read here: it planned nothing, or this token lacks the permission plans.secrets.`,
    );
  }
  const summary = summarySchema.parse(jsonOf(result?.contents));
  return {
    hasChanges: summary.has_changes,
    obstacle: "",
    summary,
    display: result?.contents_display ?? "",
    approved: {
      apply_plan_contents: plan,
      approved: {
        plan_sha256: createHash("sha256").update(Buffer.from(plan, "base64")).digest("hex"),
        lock_sha256: summary.lock_sha256 ?? undefined,
        source_revision: summary.source_revision ?? undefined,
      },
    },
    spare: { apply_plan_display: result?.contents_display_gzip },
  };
}

function jsonOf(text: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return value ?? {};
  } catch {
    return {};
  }
}
