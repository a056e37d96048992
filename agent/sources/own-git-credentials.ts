import { runnerJobTypes } from "../../shared/runner-job-types.ts";
import type { Job } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { CredentialsFault, type OpenedCredential, openGitCredentials } from "./git-credentials.ts";

/**
 * What the agent's owner gives builds to sign in with at git servers; nothing for other jobs, whose scripts could read it.
 * Its secrets are hidden in the job's log. Throws JobFailure where it cannot be read.
 */
export async function ownGitCredentials(job: Job): Promise<readonly OpenedCredential[]> {
  const file = job.agent.config.gitCredentials;
  if (file === undefined || !isBuild(job.info.type)) return [];
  const found = await openGitCredentials(file).catch((error: unknown) => {
    if (!(error instanceof CredentialsFault)) throw error;
    const words = `The setting git-credentials cannot be used: ${error.message}.`;
    throw new JobFailure(words, { reason: "source_unavailable", metadata: { class: "refused" } });
  });
  for (const { secret } of found) job.addSecret(secret.trim());
  return found;
}

const isBuild = (type: string): boolean =>
  Object.entries(runnerJobTypes).some(([name, { group }]) => name === type && group === "build");
