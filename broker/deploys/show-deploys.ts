import type {
  WholeInstallDeploy,
  WholeInstallSandboxRun,
} from "../../shared/api/install-deploys.ts";
import { problem } from "../../shared/problem.ts";
import { buildRows } from "../builds/build-rows.ts";
import { findFinalExecution } from "../builds/job-outputs.ts";
import { type ReadingParts, readOutputs } from "../installs/stored-values.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { deployRows, type ShownDeployRow, toSandboxRun } from "./deploy-rows.ts";
import { findSandboxRun } from "./sandbox-run-queries.ts";

type Texts = Readonly<Record<string, string>>;

/** A thing without its outputs, and these as the JSON that was stored. */
export type WithOutputs<Whole> = {
  readonly shown: Omit<Whole, "outputs">;
  readonly outputs: Buffer;
};

/** A deploy with its build and its outputs, by what a path names; 404 for none. */
export async function showDeploy(
  parts: ReadingParts,
  org: OrgId,
  params: Texts,
): Promise<WithOutputs<WholeInstallDeploy>> {
  const row = await deployRows.find(parts.db, org, params);
  if (row === undefined) throw problem.notFound("deploy");
  return await wholeDeploy(parts, org, row);
}

/** The newest deploy of an install, or of what it has of a component; 404 where there was none. */
export async function showLatestDeploy(
  parts: ReadingParts,
  org: OrgId,
  params: Texts,
): Promise<WithOutputs<WholeInstallDeploy>> {
  const page = { after: undefined, limit: 1, offset: 0 };
  const [row] = await deployRows.list(parts.db, org, { params, filter: {}, ...page });
  if (row === undefined) throw problem.notFound("deploy", "Nothing was deployed yet.");
  return await wholeDeploy(parts, org, row);
}

/** A run of a sandbox with its outputs; 404 for none. */
export async function showSandboxRun(
  parts: ReadingParts,
  org: OrgId,
  which: { readonly id: string; readonly installId?: string },
): Promise<WithOutputs<WholeInstallSandboxRun>> {
  const row = await findSandboxRun(parts.db, org, which);
  if (row === undefined) throw problem.notFound("sandbox run");
  const outputs = await outputsOf(parts, org, row.outputs_job_id);
  return { shown: toSandboxRun(row), outputs };
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
  parts: ReadingParts,
  org: OrgId,
  row: ShownDeployRow,
): Promise<WithOutputs<WholeInstallDeploy>> {
  const { build_id, outputs_job_id: jobId } = row;
  const build = build_id === null ? undefined : await buildRows.find(parts.db, org, { build_id });
  const shown = {
    ...deployRows.toItem(row),
    ...(build && { component_build: buildRows.toItem(build) }),
  };
  return { shown, outputs: await outputsOf(parts, org, jobId) };
}
