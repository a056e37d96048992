import { version } from "../../../shared/version.ts";
import type { Provenance } from "../../artifacts/provenance.ts";
import type { Job } from "../../jobs/handler.ts";
import { readGitUrl } from "../../sources/git-url.ts";
import type { Source } from "../../sources/source.ts";
import type { BuildRun } from "./build-run.ts";
import type { BuildContext, Prepared } from "./builder.ts";

/** When a build began, also for an agent that goes on with it. */
export async function buildStart(job: Job): Promise<string> {
  return await once(job, "build/started");
}

type Made = Pick<Prepared, "members" | "revision"> & Pick<Provenance, "images">;

/** What is known of a build; its times are written once, so that an agent that goes on pushes the very same. */
export async function buildProvenance(
  { job, run, source }: BuildContext,
  { members, revision: own, images }: Made,
  startedAt: string,
): Promise<Provenance> {
  const { component_id, component_build_id } = run.plan;
  const finishedAt = await once(job, "build/finished");
  const revision = own ?? source?.revision ?? "";
  const uri = run.source === undefined ? "" : uriOf(run.source);
  return {
    name: run.target.repository,
    kind: job.info.type,
    members: job.redactJson(members),
    labels: labelsOf(run),
    ...(uri !== "" && { source: { uri: job.redact(uri), revision } }),
    ...(images !== undefined && { images }),
    ids: {
      runner_job_id: job.info.id,
      runner_job_execution_id: job.executionId,
      runner_id: job.info.runner_id,
      ...(component_id && { component_id }),
      ...(component_build_id && { component_build_id }),
    },
    version,
    startedAt,
    finishedAt,
  };
}

function uriOf(source: Source): string {
  if (source.kind === "oci") return `oci://${source.oci.url.replace(/^[a-z]+:\/\//, "")}`;
  if (source.kind === "blob") return "svc+config:";
  if (source.kind !== "git") return "";
  const inside = source.directory === "" ? "" : `#${source.directory}`;
  return `git+${readGitUrl(source.git.url).url}${inside}`;
}

function labelsOf({ plan }: BuildRun): Record<string, string> {
  const given =
    plan.terraform_build_plan ??
    plan.helm_build_plan ??
    plan.kubernetes_manifest_build_plan ??
    plan.pulumi_build_plan;
  return given?.labels ?? {};
}

async function once(job: Job, key: string): Promise<string> {
  return await job.once(key, async () => await Promise.resolve(new Date().toISOString()));
}
