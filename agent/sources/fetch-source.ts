import path from "node:path";
import { makeJobFolders } from "../job-users/job-files.ts";
import type { Job } from "../jobs/handler.ts";
import { fetchBlob } from "./fetch-blob.ts";
import { fetchGit } from "./fetch-git.ts";
import { fetchInChild } from "./fetch-in-child.ts";
import { folderWithin } from "./folder-within.ts";
import type { FetchedSource, Source, SourceFetch } from "./source.ts";

/** A source on this host: `folder` has all of it, `directory` is the part that the plan means. */
export type SourceHere = FetchedSource & { readonly directory: string };

/**
 * Fetches the source of a plan into a directory of the job, as the job's user. Repeated with the same name, also by
 * another process of the agent, it returns the earlier result. Throws JobFailure.
 */
export async function fetchSource(
  job: Job,
  source: Source,
  fetch: SourceFetch,
): Promise<SourceHere> {
  await makeJobFolders([path.join(job.directories.workspace, "sources")], job.directories.owner);
  const fetched = await fetchedOf(job, source, fetch);
  const directory = await folderWithin(fetched.folder, source.directory, fetch.title);
  return { ...fetched, directory };
}

async function fetchedOf(job: Job, source: Source, fetch: SourceFetch): Promise<FetchedSource> {
  if (source.kind === "git") return await fetchGit(job, source.git, fetch);
  if (source.kind === "blob") return await fetchBlob(job, source, fetch);
  return await fetchInChild(job, source, fetch);
}
