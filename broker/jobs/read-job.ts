import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { findOutputs, findProgress, listExecutions, listResults } from "../executions/queries.ts";
import { toExecution, toOutputs, toProgress, toResult } from "../executions/to-execution.ts";
import { findRoleUsages } from "../install-roles/find-role-usages.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { JsonPlaceholders } from "../seals/json-placeholders.ts";
import type { Actor } from "../tokens/actor.ts";
import { findJob, findPlanToSend, listMoves } from "./queries.ts";
import type { JobRow, MoveRow } from "./row.ts";
import { showLargePlan, showPlan, showRenderedPlan } from "./show-plan.ts";
import { toRunnerJob } from "./to-runner-job.ts";
import { whyWaiting } from "./why-waiting.ts";

/** The job, of this runner if one is named; 404 otherwise. */
export async function requireJob(
  db: Db,
  org: OrgId,
  jobId: string,
  runnerId?: string | null,
): Promise<JobRow> {
  const row = await findJob(db, org, jobId);
  if (row === undefined || (runnerId != null && row.runner_id !== runnerId)) {
    throw problem.notFound("job");
  }
  return row;
}

export type ReadJobParts = Parameters<typeof showLargePlan>[0] & {
  readonly db: Db;
  /** For values that are read while they are sent. */
  readonly placeholders: JsonPlaceholders;
};

export type JobReading = {
  /** For whom the plan is shown. */
  readonly planFor?: Pick<Actor, "permissions"> | undefined;
  /** How far its last execution is. */
  readonly withProgress?: boolean;
  /** As whom it runs, of a job of an install. */
  readonly withRole?: boolean;
};

/** A job with all that a single read shows: history, executions, outputs, why it waits; on request the plan, as a caller may see it. */
export async function readJob(
  parts: ReadJobParts,
  org: OrgId,
  row: JobRow,
  { planFor, withProgress = false, withRole = false }: JobReading = {},
): Promise<RunnerJob> {
  const { db, seals } = parts;
  const [moves, executions, progress, outputs, plan, waiting, usages] = await Promise.all([
    listMoves(db, org, row.id),
    readExecutions(db, org, row.id),
    withProgress && row.execution_id !== null ? findProgress(db, org, row.execution_id) : undefined,
    row.finished_at === null || row.execution_id === null
      ? undefined
      : findOutputs({ db, seals }, org, row.execution_id),
    planFor === undefined ? undefined : showPlanOf(parts, row, planFor),
    row.status === "queued" || row.status === "available" ? whyWaiting(db, org, row.id) : null,
    withRole && row.workflow_step_id != null ? findRoleUsages(db, org, [row.id]) : undefined,
  ]);
  const job = toRunnerJob(row);
  const shown = outputs && (await toOutputs(outputs, parts));
  return {
    ...job,
    status_v2: { ...job.status_v2, history: historyOf(row, moves) },
    outputs: shown?.outputs ?? {},
    outputs_json: shown?.outputs_json ?? "",
    executions: executions.map((one) =>
      progress !== undefined && one.id === row.execution_id
        ? { ...one, progress: toProgress(progress) }
        : one,
    ),
    waiting,
    install_role_usage: usages?.get(row.id) ?? null,
    ...(planFor !== undefined && {
      json: {
        id: row.id,
        org_id: org,
        runner_job_id: row.id,
        plan_json: plan ?? "{}",
        composite_plan: null,
      },
    }),
  };
}

/** The plan as this caller may see it; a long one is read while it is sent. */
async function showPlanOf(
  parts: ReadJobParts,
  row: JobRow,
  planFor: Pick<Actor, "permissions">,
): Promise<string> {
  const rendered = await showRenderedPlan(parts, planFor, row);
  if (rendered !== undefined) return rendered;
  const plan = await findPlanToSend(parts, row.org_id as OrgId, row.id); // a job of that org
  if (typeof plan !== "object") return showPlan(planFor, row, plan ?? "{}");
  return parts.placeholders.text(
    await showLargePlan(parts, planFor, { orgId: row.org_id, type: row.type, large: plan }),
  );
}

/** The attempts at a job with their results, without contents. */
export async function readExecutions(
  db: Db,
  org: OrgId,
  jobId: string,
): Promise<NonNullable<RunnerJob["executions"]>> {
  const rows = await listExecutions(db, org, jobId);
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const results = new Map((await listResults(db, org, ids)).map((one) => [one.execution_id, one]));
  return rows.map((row) => {
    const result = results.get(row.id);
    return { ...toExecution(row), result: result === undefined ? null : toResult(result) };
  });
}

/** The job's earlier statuses; the last move led to the present one. */
function historyOf(row: JobRow, moves: readonly MoveRow[]): RunnerJob["status_v2"]["history"] {
  const isPresent = moves.at(-1)?.to_status === row.status;
  return (isPresent ? moves.slice(0, -1) : moves).map((move) => ({
    status: move.to_status,
    status_human_description: move.description,
    created_at_ts: move.at.getTime(),
    metadata: {
      event: move.event,
      ...(move.execution_id !== null && { runner_job_execution_id: move.execution_id }),
    },
  }));
}
