import type { WholeActionRun } from "../../shared/api/actions.ts";
import { problem } from "../../shared/problem.ts";
import type { Db } from "../database/connect.ts";
import { type ReadingParts, readOutputs } from "../installs/stored-values.ts";
import { logStreamOf } from "../logs/store/row.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { findFinishedJob, findRunEnd } from "./action-queries.ts";
import { actionRunRows } from "./action-run-rows.ts";
import { showInstallAction } from "./show-app-actions.ts";

/** What an action gave in its newest run that finished, as the JSON that was stored. */
export async function showActionOutputs(
  parts: ReadingParts,
  org: OrgId,
  { installId, id }: { readonly installId: string; readonly id: string },
): Promise<Buffer> {
  await showInstallAction(parts.db, org, { installId, id });
  const jobId = await findFinishedJob(parts.db, org, { installId, id });
  const end = jobId === undefined ? undefined : await findRunEnd(parts.db, org, jobId);
  return outputsOf(parts, org, end);
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
  const row = await actionRunRows.find(db, org, { install_id: installId, run_id: id });
  if (row === undefined) throw problem.notFound("run");
  const { runner_job_id: jobId } = row;
  const end = jobId === null ? undefined : await findRunEnd(db, org, jobId);
  const run: Omit<WholeActionRun, "outputs"> = {
    ...actionRunRows.toItem(row),
    // A job that names no stream has its own.
    log_stream_id: end?.log_stream_id ?? (jobId === null ? null : logStreamOf(jobId)),
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
