import path from "node:path";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { allowedEnv } from "../../processes/allowed-env.ts";
import { fetchLfs } from "../../sources/fetch-lfs.ts";
import { fetchSource, type SourceHere } from "../../sources/fetch-source.ts";
import { gitAccess, gitEnvironment, plainGitEnvironment } from "../../sources/git-access.ts";
import { areGitLoginsDropped, dropGitLogins } from "../../sources/git-logins.ts";
import { gitCredentialsFault } from "../../sources/own-git-credentials.ts";
import { buildFailure } from "./build-failure.ts";
import type { BuildRun } from "./build-run.ts";
import type { BuildContext, ByGit } from "./builder.ts";

/** Fetches the source and gives the tools a home; what an earlier process of the agent did is not repeated. */
export async function openBuildContext(job: Job, run: BuildRun): Promise<BuildContext> {
  const { workspace, owner } = job.directories;
  const [home = "", tmp = ""] = ["home", "tmp"].map((name) => path.join(workspace, name));
  await makeJobFolders([home, tmp, path.join(workspace, "built")], owner);
  const { env: own } = allowedEnv({ agent: job.agent.config.env, plan: {}, home, tmp });
  const env = { ...job.agent.networkEnv, ...own, ...plainGitEnvironment(job) };
  const progress = openProgress(job);
  const { source } = run;
  const context = { job, run, progress, env, byGit: byGitFor(job, run) };
  if (source === undefined) return { ...context, source };
  progress.phase("source", "in-progress");
  const how = { name: "source", key: "source", step: "source", title: "The build", env };
  const here = await fetched(job, source, how);
  if (here.revision !== "")
    job.log(`The source is at ${here.revision}.`, "info", "source", "revision");
  progress.phase("source", "finished");
  if (!fetchesByGit(run)) await dropGitLogins(job);
  return { ...context, source: here };
}

/** Tools that fetch modules and bases by git do it as the agent does, with the logins of each one's own server. */
function byGitFor(job: Job, run: BuildRun): ByGit {
  const { source } = run;
  return async (fetch) => {
    if (!fetchesByGit(run)) return await fetch({});
    const variables =
      source?.kind === "git"
        ? (await gitAccess(job, source.git, "git-tools")).env
        : await gitEnvironment(job, "git-tools");
    const found = await fetch(variables);
    await dropGitLogins(job);
    return found;
  };
}

/**
 * Whether tools of the build fetch by git, and neither run programs of the source meanwhile nor read any file of the host that
 * it names: kustomize does with Helm (the source names its plugins) and without its load restrictor.
 */
function fetchesByGit({ builder, source, plan }: BuildRun): boolean {
  if (source === undefined || builder !== "manifest") return builder === "module";
  const { enable_helm, load_restrictor } =
    plan.kubernetes_manifest_build_plan?.kustomize_config ?? {};
  return enable_helm !== true && load_restrictor !== "none";
}

/** A repository that lets nobody in says which setting lets a build in. */
async function fetched(...given: Parameters<typeof fetchSource>): Promise<SourceHere> {
  const [job, source, { title }] = given;
  try {
    const here = await fetchSource(...given);
    // Once they are dropped, all was fetched.
    if (source.kind === "git" && here.hasLfs === true && !areGitLoginsDropped(job))
      await fetchLfs(job, source.git, { ...here, title });
    return here;
  } catch (error) {
    const isRefused =
      error instanceof JobFailure &&
      error.reason === "source_unavailable" &&
      error.metadata["class"] === "auth";
    if (source.kind !== "git" || !isRefused) throw error;
    const advice = "Who may read it is told by git-credentials in the settings of the org's agent";
    const fault = await gitCredentialsFault(job);
    const why = fault === undefined ? "" : `, which cannot be used: ${fault}`;
    throw buildFailure(`${error.message} ${advice}${why}.`, "repository_refused");
  }
}
