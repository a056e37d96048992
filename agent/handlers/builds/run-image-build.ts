import { createHash } from "node:crypto";
import path from "node:path";
import { type BuildRequest, buildTold } from "../../image-builds/build-request.ts";
import { imageFolder, layersFolder } from "../../image-builds/image-folder.ts";
import { idsOfBuild } from "../../image-builds/open-namespaces.ts";
import { imageProcesses } from "../../job-cgroups/job-bounds.ts";
import { readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { buildClassOf, buildFailure, endReasons } from "./build-failure.ts";
import type { ImagePlan } from "./image-plan.ts";

const mostToldBytes = 2 ** 16;
/** It leaves nothing that it would have to end in order. */
const stopAtOnce = { signal: "SIGTERM", to: "leader", graceMs: 5_000 } as const;

/**
 * Has a child of this program, as the agent's user, build what is prepared, apart from the host; without layers of other
 * builds where it mounts what they do not tell of. Throws JobFailure.
 */
export async function runImageBuild(
  job: Job,
  plan: ImagePlan,
  hasOtherMounts: boolean,
): Promise<void> {
  const { agentOnly, workspace } = job.directories;
  const told = path.join(agentOnly, "build.told");
  const file = path.join(agentOnly, "build.json");
  const request = requestOf(job, plan, hasOtherMounts);
  if (hasOtherMounts && plan.cacheKey !== "")
    job.log(withMounts, "info", "build", "without layers of other builds");
  // It has secrets, and is gone when it was read.
  if (!job.hasBegun("build"))
    await writeJobFileOnce(file, JSON.stringify({ ...request, told }), undefined);
  const end = await job.run({
    key: "build",
    step: "build",
    argv: ["svc-agent", "image-build", "run", file],
    cwd: workspace,
    env: { PATH: job.agent.config.env["PATH"] ?? "" },
    stop: stopAtOnce,
    asAgent: true,
  });
  const said = await readJobText(told, undefined, mostToldBytes);
  const answer =
    said === "" || end.why !== "exited" ? undefined : buildTold.parse(JSON.parse(said));
  if (answer === undefined) {
    const reason = endReasons[end.why] ?? "build_failed";
    throw new JobFailure(`The image cannot be built: the build ${end.words}.`, { reason });
  }
  const { class: kind, words: given } = answer;
  if (kind === undefined) return;
  const words = `The image cannot be built: ${job.redact(given).replace(/\.$/, "")}.`;
  if (kind === "tool_missing")
    throw new JobFailure(words, { reason: "tool_missing", metadata: { tool: "buildah" } });
  const advice =
    kind === "isolation"
      ? " Builds need user namespaces on this host; build-isolation = off gives that up."
      : "";
  throw buildFailure(words + advice, buildClassOf(kind));
}

const withMounts =
  "no layers are kept or used: RUN --mount reads what they do not tell of (all types but secret and tmpfs)";

function requestOf(
  job: Job,
  { target, buildArgs, secrets, cacheKey, noCache }: ImagePlan,
  hasOtherMounts: boolean,
): Omit<BuildRequest, "told"> {
  const { config } = job.agent;
  return {
    folder: imageFolder(job.directories.workspace),
    firstId: firstIdOf(job),
    isIsolated: config.buildIsolation === "on",
    hasNetwork: config.buildNetwork === "public",
    mostBytes: config.buildDisk,
    ...(cacheKey !== "" &&
      !hasOtherMounts &&
      config.buildCache > 0 && {
        cache: {
          folder: layersFolder(config.dataDir),
          key: cacheKey,
          mostBytes: config.buildCache,
          isRead: !noCache,
        },
      }),
    leastFree: config.minFreeDisk,
    deadlineAtMs: job.deadlineAtMs,
    mostProcesses: config.jobPidsMax ?? imageProcesses,
    target,
    buildArgs,
    secrets,
  };
}

/** A range of its own for each user of jobs; without such users, one by chance. */
function firstIdOf({ agent, directories, executionId }: Job): number {
  const { buildIds, jobUser } = agent.config;
  const ranges = Math.floor((buildIds.last - buildIds.first + 1) / idsOfBuild);
  const { owner } = directories;
  const chance = createHash("sha256").update(executionId).digest().readUInt32BE();
  const at = owner === undefined || jobUser === undefined ? chance : owner - jobUser.first;
  return buildIds.first + (at % ranges) * idsOfBuild;
}
