import { runnerJobTypeNames } from "../../../shared/runner-job-types.ts";
import type { Handler } from "../../jobs/handler.ts";
import { buildArtifact } from "./build-artifact.ts";
import { buildImage } from "./build-image.ts";
import { readBuildRun } from "./build-run.ts";
import { builderKinds } from "./builder-kinds.ts";

/** Builds of artifacts: a source becomes what a deploy needs, is proved in an empty folder, and pushed to a registry. */
export const builds: Handler = {
  types: runnerJobTypeNames.filter((type) => builderKinds[type] !== undefined),
  validate: (plan, info) => {
    const run = readBuildRun(plan, info);
    return {
      needsDirectories: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) =>
        run.builder === "image"
          ? await buildImage(job, run)
          : await buildArtifact(job, run, run.builder),
    };
  },
};
