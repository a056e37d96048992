import path from "node:path";
import { imageFiles, imageFolder, storageFolder } from "../../image-builds/image-folder.ts";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import { buildProvenance, buildStart } from "./build-provenance.ts";
import type { BuildRun } from "./build-run.ts";
import { imageMembers, readImagePlan } from "./image-plan.ts";
import { openBuildContext } from "./open-build-context.ts";
import { packArtifact } from "./pack-artifact.ts";
import { prepareImage } from "./prepare-image.ts";
import { pushBuild } from "./push-build.ts";
import { runImageBuild } from "./run-image-build.ts";
import { sourceChecksum } from "./source-checksum.ts";

const inside = { to: "", isSource: true, leaveOut: [], followsLinks: false };

/**
 * Builds an image by a Dockerfile, or goes on with it: what it is made of is packed and pulled by the job's user, what its
 * Dockerfile runs is kept apart from the host, and the agent's own client pushes it. Throws JobFailure.
 */
export async function buildImage(job: Job, run: BuildRun): Promise<JobResult> {
  const startedAt = await buildStart(job);
  const plan = readImagePlan(run);
  const context = await openBuildContext(job, run);
  const { progress, source } = context;
  if (source === undefined) throw invalidPlan("the source is missing: set git_source or source");
  const folder = imageFolder(job.directories.workspace);
  const from = await folderWithin(source.directory, plan.context || ".", "The context");
  progress.phase("build", "in-progress");
  await makeJobFolders([folder], job.directories.owner);
  const packed = await packArtifact(job, "pack", {
    parts: [{ ...inside, from }],
    texts: [],
    files: [],
    templates: [],
    planTexts: [],
    brands: [],
    output: {
      archive: path.join(folder, imageFiles.context),
      unpacked: path.join(job.directories.workspace, "built", "proof"),
    },
  });
  const { bases, hasOtherMounts } = await prepareImage(context, plan, from);
  await runImageBuild(job, plan, hasOtherMounts);
  progress.phase("build", "finished");
  progress.phase("push", "in-progress");
  const members = imageMembers(plan);
  const images = bases.map(({ image, digest }) => ({ uri: `docker://${image}`, revision: digest }));
  const pushed = await pushBuild(context, {
    layout: path.join(storageFolder(folder), "out"),
    provenance: await buildProvenance(context, { members, images }, startedAt),
  });
  progress.phase("push", "finished");
  return {
    description: `It is built: ${pushed.digest}.`,
    outputs: {
      digest: pushed.digest,
      media_type: pushed.mediaType,
      size: pushed.bytes + pushed.size,
      registry: run.target.origin.replace(/^https?:\/\//, ""),
      repository: run.target.repository,
      tag: run.tag,
      checksum: packed.checksum,
      source_checksum: sourceChecksum(run, { members, isMade: false }, packed),
      source_ref: source.revision,
      references: [],
      base_images: bases,
      provenance_digest: pushed.provenance,
    },
  };
}
