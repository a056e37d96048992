import path from "node:path";
import { version } from "../../../shared/version.ts";
import type { Packed } from "../../artifacts/pack-request.ts";
import type { Pushed } from "../../artifacts/push-request.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { readGitUrl } from "../../sources/git-url.ts";
import type { Source } from "../../sources/source.ts";
import { buildChart } from "./build-chart.ts";
import { buildManifest } from "./build-manifest.ts";
import { buildModule } from "./build-module.ts";
import { buildProgram } from "./build-program.ts";
import type { BuildRun } from "./build-run.ts";
import type { BuilderName } from "./builder-kinds.ts";
import type { BuildContext, Builder, Prepared, Proved } from "./builder.ts";
import { openBuildContext } from "./open-build-context.ts";
import { packArtifact } from "./pack-artifact.ts";
import { pushBuild } from "./push-build.ts";
import { sourceChecksum } from "./source-checksum.ts";

const builders: Readonly<Record<BuilderName, Builder>> = {
  module: buildModule,
  chart: buildChart,
  manifest: buildManifest,
  program: buildProgram,
};

/** Builds an artifact, or goes on with it: nothing is pushed before it was proved. Throws JobFailure. */
export async function buildArtifact(job: Job, run: BuildRun): Promise<JobResult> {
  const startedAt = await job.once(
    "build/started",
    async () => await Promise.resolve(new Date().toISOString()),
  );
  const context = await openBuildContext(job, run);
  const { progress } = context;
  progress.phase("build", "in-progress");
  const prepared = await builders[run.builder](context);
  const built = path.join(job.directories.workspace, "built");
  const output = {
    archive: path.join(built, "artifact.tar.gz"),
    unpacked: path.join(built, "proof"),
  };
  const { pack } = prepared;
  const { brands } = run;
  const packed = await packArtifact(job, "pack", {
    ...pack,
    planTexts: [...(pack.planTexts ?? [])],
    brands: [...brands],
    output,
  });
  const proved = await prepared.prove(output.unpacked);
  progress.phase("build", "finished");
  progress.phase("push", "in-progress");
  const whole = { context, prepared, packed, proved };
  const pushed = await pushBuild(context, {
    archive: output.archive,
    packed,
    proved,
    provenance: await provenanceOf(whole, startedAt),
  });
  progress.phase("push", "finished");
  return resultOf(whole, pushed);
}

type Whole = {
  readonly context: BuildContext;
  readonly prepared: Prepared;
  readonly packed: Packed;
  readonly proved: Proved;
};

/** Written once, so that an agent that goes on pushes the very same. */
async function provenanceOf({ context, prepared }: Whole, startedAt: string) {
  const { job, run, source } = context;
  const { component_id, component_build_id } = run.plan;
  const finishedAt = await job.once(
    "build/finished",
    async () => await Promise.resolve(new Date().toISOString()),
  );
  const revision = prepared.revision ?? source?.revision ?? "";
  const uri = run.source === undefined ? "" : uriOf(run.source);
  return {
    name: run.target.repository,
    kind: job.info.type,
    members: JSON.parse(job.redact(JSON.stringify(prepared.members))) as Record<string, unknown>,
    labels: labelsOf(run),
    ...(uri !== "" && { source: { uri: job.redact(uri), revision } }),
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

function resultOf({ context, prepared, packed, proved }: Whole, pushed: Pushed): JobResult {
  const { run, source } = context;
  const { digest, mediaType, size, provenance } = pushed;
  return {
    description: `It is built: ${digest}.`,
    outputs: {
      digest,
      media_type: mediaType,
      artifact_type: proved.artifactType,
      /** Of the packed files, without the manifest. */
      size: packed.size + size,
      registry: run.target.origin.replace(/^https?:\/\//, ""),
      repository: run.target.repository,
      tag: run.tag,
      checksum: packed.checksum,
      source_checksum: sourceChecksum(run, prepared, packed),
      source_ref: prepared.revision ?? source?.revision ?? "",
      references: packed.references,
      provenance_digest: provenance,
      ...proved.outputs,
    },
  };
}
