import type { ShownActionRun, WholeActionRun } from "../../shared/api/actions.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { type ReadingParts, readOutputs } from "../installs/stored-values.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { compositeErrorOf } from "../status/composite-error.ts";
import { findRunEnd, listRuns, type RunRow } from "./action-queries.ts";
import { showInstallAction } from "./show-app-actions.ts";

const whole = { after: undefined, limit: 1000, offset: 0 };

/** What an action gave in its newest run that finished, as the JSON that was stored. */
export async function showActionOutputs(
  parts: ReadingParts,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<Buffer> {
  await showInstallAction(parts.db, org, { installId, id });
  const asked = { ...whole, limit: 1, installId, actionId: id, status: "finished" } as const;
  const [last] = await listRuns(parts.db, org, asked);
  const jobId = last?.runner_job_id ?? null;
  const end = jobId === null ? undefined : await findRunEnd(parts.db, org, jobId);
  return outputsOf(parts, org, end);
}

/** A run as lists show it. It is in progress from its job's claim, which writes nothing here. */
export function toRun(row: RunRow): ShownActionRun {
  const isClaimed = row.status === "queued" && row.job_status === "in-progress";
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    action_workflow_id: row.action_id,
    action_workflow_config_id: row.action_config_id,
    name: row.name,
    workflow_id: row.workflow_id,
    workflow_step_id: row.workflow_step_id,
    runner_job_id: row.runner_job_id,
    trigger_type: row.trigger_type,
    triggered_by_id: row.triggered_by_id,
    status: isClaimed ? "in-progress" : row.status,
    status_description: row.status_description,
    role: row.role,
    timeout: row.timeout,
    execution_time: executionTime(row),
    ...compositeErrorOf(row.composite_error, { type: "install_action_workflow_runs", id: row.id }),
    created_by_id: row.created_by_id,
    created_at: row.created_at.toISOString(),
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
  };
}

function executionTime({ started_at: from, finished_at: until, now }: RunRow): number {
  if (from === null) return 0;
  return Math.max(0, ((until ?? now).getTime() - from.getTime()) * 1e6);
}

type RunOfInstall = { readonly installId: string; readonly id: string };

/** A run with its outputs and steps, as pieces of JSON: the outputs as they were stored; 404 when there is none. */
export async function showRun(
  parts: ReadingParts,
  org: OrgId,
  which: RunOfInstall,
): Promise<readonly (string | Uint8Array)[]> {
  const { end, ...run } = await findRun(parts.db, org, which);
  const outputs = await outputsOf(parts, org, end);
  return [JSON.stringify(run).slice(0, -1), ',"outputs":', outputs, "}"];
}

/** The steps of a run; 404 when there is none. */
export async function showRunSteps(
  db: Db,
  org: OrgId,
  which: RunOfInstall,
): Promise<WholeActionRun["steps"]> {
  return (await findRun(db, org, which)).steps;
}

async function findRun(db: Db, org: OrgId, { installId, id }: RunOfInstall) {
  const [row] = await listRuns(db, org, { ...whole, installId, id });
  if (row === undefined) throw problem.notFound("run");
  const { runner_job_id: jobId } = row;
  const end = jobId === null ? undefined : await findRunEnd(db, org, jobId);
  const run: Omit<WholeActionRun, "outputs"> = {
    ...toRun(row),
    log_stream_id: end?.log_stream_id ?? null,
    steps: (end?.steps ?? []).map(({ step_id, ...step }) => ({ id: step_id, ...step })),
  };
  return { ...run, end };
}

const outputsOf = async (
  parts: ReadingParts,
  org: OrgId,
  end: Awaited<ReturnType<typeof findRunEnd>>,
): Promise<Buffer> =>
  end?.execution_id == null ? Buffer.from("{}") : await readOutputs(parts, org, end.execution_id);
