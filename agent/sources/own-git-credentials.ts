import { runnerJobTypes } from "../../shared/runner-job-types.ts";
import type { Job } from "../jobs/handler.ts";
import { CredentialsFault, type OpenedCredential, openGitCredentials } from "./git-credentials.ts";

/**
 * What the agent's owner gives builds to sign in with at git servers; nothing for other jobs, whose scripts could read it.
 * Its secrets are hidden in the job's log. A file that cannot be used gives nothing, and the log says so: what everybody may read
 * is built all the same.
 */
export async function ownGitCredentials(job: Job): Promise<readonly OpenedCredential[]> {
  const { found, fault } = await opened(job);
  if (fault !== undefined)
    job.log(`git-credentials is not used: ${fault}.`, "warn", "source", "git-credentials");
  for (const { secret } of found) job.addSecret(secret.trim());
  return found;
}

/** Why they cannot be used; undefined where they can. */
export const gitCredentialsFault = async (job: Job): Promise<string | undefined> =>
  (await opened(job)).fault;

type Opened = { readonly found: readonly OpenedCredential[]; readonly fault?: string };

async function opened({ agent, info }: Job): Promise<Opened> {
  const file = agent.config.gitCredentials;
  if (file === undefined || !isBuild(info.type)) return { found: [] };
  try {
    return { found: await openGitCredentials(file) };
  } catch (error) {
    if (!(error instanceof CredentialsFault)) throw error;
    return { found: [], fault: error.message };
  }
}

const isBuild = (type: string): boolean =>
  Object.entries(runnerJobTypes).some(([name, { group }]) => name === type && group === "build");
