import type {
  WholeInstallDeploy,
  WholeInstallSandboxRun,
} from "../../shared/api/install-deploys.ts";
import { problem } from "../../shared/problem.ts";
import { buildRows } from "../builds/build-rows.ts";
import { findJobOutputs } from "../builds/job-outputs.ts";
import type { Db } from "../database/connect.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import { deployRows, type ShownDeployRow, toSandboxRun } from "./deploy-rows.ts";
import { findSandboxRun } from "./sandbox-run-queries.ts";

type Parts = { readonly db: Db; readonly seals: Seals };
type Texts = Readonly<Record<string, string>>;
type Outputs = Readonly<Record<string, unknown>>;

/** A deploy with its build and its outputs, by what a path names; 404 for none. */
export async function showDeploy(
  parts: Parts,
  org: OrgId,
  params: Texts,
): Promise<WholeInstallDeploy> {
  const row = await deployRows.find(parts.db, org, params);
  if (row === undefined) throw problem.notFound("deploy");
  return await wholeDeploy(parts, org, row);
}

/** The newest deploy of an install, or of what it has of a component; 404 where there was none. */
export async function showLatestDeploy(
  parts: Parts,
  org: OrgId,
  params: Texts,
): Promise<WholeInstallDeploy> {
  const page = { after: undefined, limit: 1, offset: 0 };
  const [row] = await deployRows.list(parts.db, org, { params, filter: {}, ...page });
  if (row === undefined) throw problem.notFound("deploy", "Nothing was deployed yet.");
  return await wholeDeploy(parts, org, row);
}

/** A run of a sandbox with its outputs; 404 for none. */
export async function showSandboxRun(
  parts: Parts,
  org: OrgId,
  which: { readonly id: string; readonly installId?: string },
): Promise<WholeInstallSandboxRun> {
  const row = await findSandboxRun(parts.db, org, which);
  if (row === undefined) throw problem.notFound("sandbox run");
  const outputs = await outputsOf(parts, org, row.outputs_job_id);
  return { ...toSandboxRun(row), outputs };
}

/** What a job that applied told; nothing without one. */
export async function outputsOf(parts: Parts, org: OrgId, jobId: string | null): Promise<Outputs> {
  return jobId === null ? {} : await findJobOutputs(parts, org, jobId);
}

async function wholeDeploy(
  parts: Parts,
  org: OrgId,
  row: ShownDeployRow,
): Promise<WholeInstallDeploy> {
  const { build_id, outputs_job_id: jobId } = row;
  const build = build_id === null ? undefined : await buildRows.find(parts.db, org, { build_id });
  return {
    ...deployRows.toItem(row),
    outputs: await outputsOf(parts, org, jobId),
    ...(build && { component_build: buildRows.toItem(build) }),
  };
}
