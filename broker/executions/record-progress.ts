import { mostSteps, type StepInput } from "../../shared/api/execution-progress.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import type { Actor } from "../tokens/actor.ts";
import type { NamedExecution } from "./record-report.ts";

type Kept = { readonly outcome: string; readonly steps: number; readonly is_full: boolean };

/**
 * Stores the progress of the caller's own execution; of a step that is named twice the last entry counts. 404 for another's
 * execution, 409 for one that ended more than ten minutes ago.
 */
export async function recordProgress(
  db: Db,
  { orgId, runnerId, executionId: own }: Actor,
  { job_id: jobId, execution_id: executionId }: NamedExecution,
  steps: readonly StepInput[],
): Promise<{ readonly steps: number; readonly is_full: boolean }> {
  if (own !== null && own !== executionId) throw problem.notFound("execution");
  const last = new Map(steps.map((step) => [step.name, step]));
  const given = [...last.values()].map((step, n) => ({ ...step, n }));
  const [kept] = await db<Kept[]>`
    select * from keep_progress(${orgId}, ${runnerId}, ${jobId}, ${executionId},
                                ${JSON.stringify(given)}::text::json, ${mostSteps})`;
  if (kept === undefined || kept.outcome === "not-found") throw problem.notFound("execution");
  if (kept.outcome === "ended") {
    throw problem.conflict("execution_ended", "The execution ended more than ten minutes ago.");
  }
  return { steps: kept.steps, is_full: kept.is_full };
}
