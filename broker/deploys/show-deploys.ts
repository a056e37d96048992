import type {
  WholeInstallDeploy,
  WholeInstallSandboxRun,
} from "../../shared/api/install-deploys.ts";
import type { InstallRoleUsage } from "../../shared/api/install-role-usages.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import { problem } from "../../shared/problem.ts";
import { listRunsOfWorkflow } from "../actions/action-run-rows.ts";
import { showPartOf } from "../app-configs/show-parts.ts";
import { buildRows } from "../builds/build-rows.ts";
import { findFinalExecution } from "../builds/job-outputs.ts";
import { findRoleUsages } from "../install-roles/find-role-usages.ts";
import { type ReadingParts, readOutputs } from "../installs/stored-values.ts";
import { mayRead, type Reader, showWork, type WorkParts } from "../jobs/show-work.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { toWorkflow } from "../workflows/to-workflow.ts";
import { findWorkflow } from "../workflows/workflow-queries.ts";
import { deployRows, type ShownDeployRow, toSandboxRun } from "./deploy-rows.ts";
import { findSandboxRun } from "./sandbox-run-queries.ts";

type Texts = Readonly<Record<string, string>>;
type Parts = ReadingParts & WorkParts;

/** A thing without its outputs, and these as the JSON that was stored. */
export type WithOutputs<Whole> = {
  readonly shown: Omit<Whole, "outputs">;
  readonly outputs: Buffer;
};

/** A deploy with its build and its outputs, by what a path names; 404 for none. */
export async function showDeploy(
  parts: Parts,
  by: Reader,
  params: Texts,
): Promise<WithOutputs<WholeInstallDeploy>> {
  const row = await deployRows.find(parts.db, by.orgId, params);
  if (row === undefined) throw problem.notFound("deploy");
  return await wholeDeploy(parts, by, row);
}

/** The newest deploy of an install, or of what it has of a component; 404 where there was none. */
export async function showLatestDeploy(
  parts: Parts,
  by: Reader,
  params: Texts,
): Promise<WithOutputs<WholeInstallDeploy>> {
  const page = { after: undefined, limit: 1, offset: 0 };
  const [row] = await deployRows.list(parts.db, by.orgId, { params, filter: {}, ...page });
  if (row === undefined) throw problem.notFound("deploy", "Nothing was deployed yet.");
  return await wholeDeploy(parts, by, row);
}

/** A run of a sandbox with its outputs; 404 for none. */
export async function showSandboxRun(
  parts: Parts,
  by: Reader,
  which: { readonly id: string; readonly installId?: string },
): Promise<WithOutputs<WholeInstallSandboxRun>> {
  const { orgId: org, bound } = by;
  const row = await findSandboxRun(parts.db, org, which);
  if (row === undefined) throw problem.notFound("sandbox run");
  const [work, config, outputs] = await Promise.all([
    workOf(parts, by, row),
    row.app_config_id === null || !mayRead(by, "apps.read") || bound?.type === "installs"
      ? undefined
      : showPartOf(parts.db, org, row.app_config_id, "sandbox"),
    outputsOf(parts, org, row.outputs_job_id),
  ]);
  const shown = { ...toSandboxRun(row), ...work, ...(config && { app_sandbox_config: config }) };
  return { shown, outputs };
}

/** The jobs of a deploy or a run, its log, and the workflow that it is part of. */
async function workOf(parts: Parts, by: Reader, row: ShownDeployRow) {
  const { orgId: org, bound } = by;
  const { plan_job_id, apply_job_id, log_stream_id: logStreamId, workflow_id } = row;
  const jobIds = [plan_job_id, apply_job_id];
  const [{ jobs, ...work }, workflow, runs, usages] = await Promise.all([
    showWork(parts, by, { jobs: jobIds, logStreamId }),
    mayRead(by, "workflows.read") ? findWorkflow(parts.db, org, workflow_id, bound) : undefined,
    listRunsOfWorkflow(parts.db, org, workflow_id),
    findRoleUsages(parts.db, org, jobIds),
  ]);
  const newest = usages.get(apply_job_id ?? plan_job_id ?? "");
  return {
    ...work,
    ...(jobs && { runner_jobs: jobs.map((job) => ({ ...job, ...roleOf(job, usages) })) }),
    ...(newest && { install_role_usage: newest }),
    ...(workflow && { workflow: toWorkflow(workflow) }),
    action_workflow_runs: runs,
  };
}

function roleOf({ id }: RunnerJob, usages: ReadonlyMap<string, InstallRoleUsage>) {
  const usage = usages.get(id);
  return usage && { install_role_usage: usage };
}

/** What a job that applied told, as the JSON that was stored; nothing without one. */
export async function outputsOf(
  parts: ReadingParts,
  org: OrgId,
  jobId: string | null,
): Promise<Buffer> {
  const id = jobId === null ? undefined : await findFinalExecution(parts.db, org, jobId);
  return id === undefined ? Buffer.from("{}") : await readOutputs(parts, org, id);
}

async function wholeDeploy(
  parts: Parts,
  by: Reader,
  row: ShownDeployRow,
): Promise<WithOutputs<WholeInstallDeploy>> {
  const { orgId: org } = by;
  const { build_id, outputs_job_id: jobId } = row;
  const [build, work, outputs] = await Promise.all([
    build_id === null ? undefined : buildRows.find(parts.db, org, { build_id }),
    workOf(parts, by, row),
    outputsOf(parts, org, jobId),
  ]);
  const shown = {
    ...deployRows.toItem(row),
    ...work,
    ...(build && { component_build: buildRows.toItem(build) }),
  };
  return { shown, outputs };
}
