import path from "node:path";
import { imageFiles, imageFolder, storageFolder } from "../../image-builds/image-folder.ts";
import { type PreparedImage, prepareTold } from "../../image-builds/prepare-request.ts";
import { makeJobFolders, readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { invalidPlan, JobFailure } from "../../jobs/job-failure.ts";
import { folderWithin } from "../../sources/folder-within.ts";
import { buildClassOf, buildFailure, endReasons } from "./build-failure.ts";
import { buildProvenance, buildStart } from "./build-provenance.ts";
import type { BuildRun } from "./build-run.ts";
import type { BuildContext } from "./builder.ts";
import { imageMembers, type ImagePlan, readImagePlan } from "./image-plan.ts";
import { openBuildContext } from "./open-build-context.ts";
import { packArtifact } from "./pack-artifact.ts";
import { pushBuild } from "./push-build.ts";
import { runImageBuild } from "./run-image-build.ts";
import { sourceChecksum } from "./source-checksum.ts";

const mostToldBytes = 2 ** 20;
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
  const { bases } = await prepare(context, plan, from);
  await runImageBuild(job, plan);
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

/** Reads the Dockerfile and pulls the images that it names, as the job's user. Throws JobFailure. */
async function prepare(
  { job, run, env }: BuildContext,
  { dockerfile, target, buildArgs }: ImagePlan,
  context: string,
): Promise<PreparedImage> {
  const { secrets, workspace, owner } = job.directories;
  const told = path.join(secrets, "prepare.told");
  const file = path.join(secrets, "prepare.json");
  const { origin } = run.target;
  const request = {
    folder: imageFolder(workspace),
    context,
    dockerfile,
    target,
    buildArgs,
    ownOrigin: origin,
    mostBytes: job.agent.config.buildDisk,
    told,
  };
  await writeJobFileOnce(file, JSON.stringify(request), owner);
  const end = await job.run({
    key: "prepare",
    step: "prepare",
    argv: ["svc-agent", "image-build", "prepare", file],
    cwd: workspace,
    env: { ...env, NODE_USE_ENV_PROXY: "1" },
  });
  const said = await readJobText(told, owner, mostToldBytes);
  const answer = said === "" ? undefined : prepareTold.parse(JSON.parse(said));
  if (answer !== undefined && "bases" in answer) return answer;
  if (answer === undefined) {
    const reason = endReasons[end.why] ?? "build_failed";
    throw new JobFailure(`The image cannot be prepared: it ${end.words}.`, { reason });
  }
  const place = answer.line === undefined ? dockerfile : `${dockerfile}:${answer.line}`;
  const words = `${place}: ${job.redact(answer.words)}.`;
  throw buildFailure(words, buildClassOf(answer.class), place);
}
