import path from "node:path";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { allowedEnv } from "../../processes/allowed-env.ts";
import { fetchLfs } from "../../sources/fetch-lfs.ts";
import { fetchSource, type SourceHere } from "../../sources/fetch-source.ts";
import { gitAccess, gitEnvironment } from "../../sources/git-access.ts";
import { buildFailure } from "./build-failure.ts";
import type { BuildRun } from "./build-run.ts";
import type { BuildContext } from "./builder.ts";

/** Fetches the source and gives the tools a home; what an earlier process of the agent did is not repeated. */
export async function openBuildContext(job: Job, run: BuildRun): Promise<BuildContext> {
  const { workspace, owner } = job.directories;
  const [home = "", tmp = ""] = ["home", "tmp"].map((name) => path.join(workspace, name));
  await makeJobFolders([home, tmp, path.join(workspace, "built")], owner);
  const { env: own } = allowedEnv({ agent: job.agent.config.env, plan: {}, home, tmp });
  const env = { ...job.agent.networkEnv, ...own, ...(await gitEnv(job, run)) };
  const progress = openProgress(job);
  const { source } = run;
  if (source === undefined) return { job, run, progress, env, source: undefined };
  progress.phase("source", "in-progress");
  const how = { name: "source", key: "source", step: "source", title: "The build", env };
  const here = await fetched(job, source, how);
  if (here.revision !== "")
    job.log(`The source is at ${here.revision}.`, "info", "source", "revision");
  progress.phase("source", "finished");
  return { job, run, progress, env, source: here };
}

/** Tools that fetch modules and bases by git do it as the agent does, with the credentials of each one's own server. */
async function gitEnv(job: Job, { source }: BuildRun): Promise<Readonly<Record<string, string>>> {
  if (source?.kind === "git") return (await gitAccess(job, source.git, "git-tools")).env;
  return await gitEnvironment(job, "git-tools");
}

/** A repository that lets nobody in says which setting lets a build in. */
async function fetched(...given: Parameters<typeof fetchSource>): Promise<SourceHere> {
  const [job, source, { title }] = given;
  try {
    const here = await fetchSource(...given);
    if (source.kind === "git" && here.hasLfs === true)
      await fetchLfs(job, source.git, { folder: here.folder, title });
    return here;
  } catch (error) {
    const isRefused =
      error instanceof JobFailure &&
      error.reason === "source_unavailable" &&
      error.metadata["class"] === "auth";
    if (source.kind !== "git" || !isRefused) throw error;
    const advice = "Who may read it is told by git-credentials in the settings of the org's agent.";
    throw buildFailure(`${error.message} ${advice}`, "repository_refused");
  }
}
