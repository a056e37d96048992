import { version } from "../../shared/version.ts";
import type { Handler, Job, JobResult } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";

/** Jobs after which the agent shuts down: running jobs, this one included, are finished first. */
export const shutDown: Handler = {
  types: ["shut-down"],
  validate: () => ({
    execute: async ({ agent }) => {
      agent.requestShutdown("graceful", "a shut-down job requested it");
      return await Promise.resolve({
        description: "The agent finishes its running jobs and shuts down.",
      });
    },
  }),
};

/**
 * An agent does not update itself: it exits with the code that asks its supervisor to restart it, which starts the
 * version that is installed by then.
 */
export const updateVersion: Handler = {
  types: ["update-version"],
  validate: () => ({ execute: async (job) => await Promise.resolve(update(job)) }),
};

function update({ agent, plan, info }: Job): JobResult {
  const settings = agent.settings();
  const candidates = [
    plan["version"],
    info.metadata["version"],
    settings.binary_version,
    settings.container_image_tag,
  ];
  const wanted = candidates.find((one) => typeof one === "string" && one !== "");
  if (typeof wanted !== "string") {
    throw new JobFailure(
      "The target version is missing: set it in the plan, the job's metadata or the runner's settings.",
      { reason: "plan_invalid" },
    );
  }
  const isThere = wanted.replace(/^v/, "") === version;
  const outputs = { running_version: version, wanted_version: wanted, restarts: !isThere };
  if (isThere) return { outputs, description: `The agent already has version ${version}.` };
  agent.requestShutdown("restart", `an update to ${wanted} was requested`);
  return { outputs, description: `The agent restarts to update to version ${wanted}.` };
}
