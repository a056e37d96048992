import path from "node:path";
import { makeJobFolders } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { fetchGit } from "./fetch-git.ts";
import { fetchInChild } from "./fetch-in-child.ts";
import { folderWithin } from "./folder-within.ts";
import type { FetchedSource, Source, SourceFetch } from "./source.ts";

/** A source on this host: all of it is in `folder`, what is meant of it in `directory`. */
export type SourceHere = FetchedSource & { readonly directory: string };

/**
 * Fetches whatever a plan names as its source into a folder of the job's, as the job's user. Asked again for the same
 * name, by whatever process of the agent, it returns what was fetched. Throws JobFailure.
 */
export async function fetchSource(
  job: Job,
  source: Source,
  fetch: SourceFetch,
): Promise<SourceHere> {
  await makeJobFolders([path.join(job.directories.workspace, "sources")], job.directories.owner);
  const fetched =
    source.kind === "git"
      ? await fetchGit(job, source.git, fetch)
      : await fetchInChild(job, source, fetch);
  const directory = await folderWithin(fetched.folder, source.directory, fetch.title);
  return { ...fetched, directory };
}
