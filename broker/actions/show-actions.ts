import type { ShownActionRun, WholeActionRun } from "../../shared/api/actions.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { openJson } from "../installs/install-facts.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { compositeErrorOf } from "../status/composite-error.ts";
import { findRunEnd, listRuns, type RunRow } from "./action-queries.ts";
import { showInstallAction } from "./show-app-actions.ts";

type Parts = { readonly db: Db; readonly seals: Seals };

const whole = { after: undefined, limit: 1000, offset: 0 };

/** What an action gave in its newest run that finished. */
export async function showActionOutputs(
  parts: Parts,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<Readonly<Record<string, unknown>>> {
  await showInstallAction(parts.db, org, { installId, id });
  const asked = { ...whole, limit: 1, installId, actionId: id, status: "finished" } as const;
  const [last] = await listRuns(parts.db, org, asked);
  if (last?.runner_job_id == null) return {};
  return outputsOf(parts.seals, org, await findRunEnd(parts.db, org, last.runner_job_id));
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

/** A run with its outputs and steps; 404 when there is none. */
export async function showRun(
  parts: Parts,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<WholeActionRun> {
  const [row] = await listRuns(parts.db, org, { ...whole, installId, id });
  if (row === undefined) throw problem.notFound("run");
  const { runner_job_id: jobId } = row;
  const end = jobId === null ? undefined : await findRunEnd(parts.db, org, jobId);
  return {
    ...toRun(row),
    log_stream_id: end?.log_stream_id ?? null,
    outputs: outputsOf(parts.seals, org, end),
    steps: (end?.steps ?? []).map(({ step_id, ...step }) => ({ id: step_id, ...step })),
  };
}

function outputsOf(
  seals: Seals,
  org: OrgId,
  end: Awaited<ReturnType<typeof findRunEnd>>,
): Record<string, unknown> {
  if (end === undefined || end.execution_id === null) return {};
  const { outputs, sealed_outputs: bytes, key_id: keyId, execution_id: id } = end;
  if (bytes === null) return (outputs ?? {}) as Record<string, unknown>; // outputs are objects
  const thing = { orgId: org, id, part: "outputs" };
  return openJson(seals, thing, { keyId, bytes }) as Record<string, unknown>;
}
