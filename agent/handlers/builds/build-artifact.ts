import path from "node:path";
import type { Packed } from "../../artifacts/pack-request.ts";
import type { Pushed, PushRequest } from "../../artifacts/push-request.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { buildChart } from "./build-chart.ts";
import { buildManifest } from "./build-manifest.ts";
import { buildModule } from "./build-module.ts";
import { buildProgram } from "./build-program.ts";
import { buildProvenance, buildStart } from "./build-provenance.ts";
import type { BuildRun } from "./build-run.ts";
import type { PackedBuilderName } from "./builder-kinds.ts";
import type { BuildContext, Builder, Prepared, Proved } from "./builder.ts";
import { openBuildContext } from "./open-build-context.ts";
import { packArtifact } from "./pack-artifact.ts";
import { pushBuild } from "./push-build.ts";
import { builderOf, sourceChecksum } from "./source-checksum.ts";
import { unchangedBuild } from "./unchanged-build.ts";

const builders: Readonly<Record<PackedBuilderName, Builder>> = {
  module: buildModule,
  chart: buildChart,
  manifest: buildManifest,
  program: buildProgram,
};

/** Builds an artifact, or goes on with it: nothing is pushed before it was proved. Throws JobFailure. */
export async function buildArtifact(
  job: Job,
  run: BuildRun,
  builder: PackedBuilderName,
): Promise<JobResult> {
  const unchanged = await unchangedBuild(job, run);
  if (unchanged !== undefined) return unchanged;
  const startedAt = await buildStart(job);
  const context = await openBuildContext(job, run);
  const { progress } = context;
  progress.phase("build", "in-progress");
  const prepared = await builders[builder](context);
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
    artifact: pushedOf(output.archive, packed, proved),
    provenance: await buildProvenance(context, prepared, startedAt),
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

/** What the registry is told of an archive. */
function pushedOf(archive: string, packed: Packed, proved: Proved): PushRequest["artifact"] {
  const { artifactType, config, layer, annotations } = proved;
  const title = layer.title === undefined ? {} : { "org.opencontainers.image.title": layer.title };
  return {
    artifactType,
    config,
    layer: {
      file: archive,
      mediaType: layer.mediaType,
      digest: packed.digest,
      size: packed.size,
      annotations: title,
    },
    annotations,
  };
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
      builder: builderOf(run),
      references: packed.references,
      provenance_digest: provenance,
      ...proved.outputs,
    },
  };
}
