import { existsSync } from "node:fs";
import path from "node:path";
import { writeAtomically } from "../files/atomic-file.ts";
import { makeJobFolders, removeJobFiles, writeJobFileOnce } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";

/** Writes a file by which git signs in for a job, in memory, 0600; answers where it is. */
export type WriteLogin = (name: string, text: string) => Promise<string>;

/** Who writes such files, until they are dropped: then nobody does for this job any more, also after a restart of the agent. */
export function gitLoginWriter(job: Job): WriteLogin | undefined {
  if (areGitLoginsDropped(job)) return undefined;
  const { owner } = job.directories;
  return async (name, text) => {
    const folder = loginsFolder(job);
    if (!existsSync(folder)) await makeJobFolders([folder], owner);
    const file = path.join(folder, name);
    await writeJobFileOnce(file, text, owner);
    return file;
  };
}

/** Whether what needed them is over. */
export const areGitLoginsDropped = (job: Job): boolean => existsSync(markOf(job));

/** Removes all logins for git from a job's memory, before programs of others run in it, which could read them. */
export async function dropGitLogins(job: Job): Promise<void> {
  const { secrets, owner } = job.directories;
  await writeAtomically(markOf(job), { text: "" });
  const all = [loginsFolder(job), path.join(secrets, "lfs.json")];
  const files = all.filter((file) => existsSync(file));
  if (files.length > 0) await removeJobFiles(files, owner);
}

const loginsFolder = ({ directories }: Job): string => path.join(directories.secrets, "git-logins");
/** The agent's own file, so that the job's user cannot take it away. */
const markOf = ({ directories }: Job): string =>
  path.join(directories.agentOnly, "git-logins-dropped");
