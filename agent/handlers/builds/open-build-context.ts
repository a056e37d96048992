import path from "node:path";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { allowedEnv } from "../../processes/allowed-env.ts";
import { fetchSource } from "../../sources/fetch-source.ts";
import { gitAccess } from "../../sources/git-access.ts";
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
  const fetched = await fetchSource(job, source, how);
  if (fetched.revision !== "")
    job.log(`The source is at ${fetched.revision}.`, "info", "source", "revision");
  progress.phase("source", "finished");
  return { job, run, progress, env, source: fetched };
}

/** Tools that fetch modules and bases by git do it as the agent does, with the credentials of the source's own server. */
async function gitEnv(job: Job, { source }: BuildRun): Promise<Readonly<Record<string, string>>> {
  if (source?.kind === "git") return (await gitAccess(job, source.git, "git-tools")).env;
  const isFileAllowed = job.agent.config.allowFileSources === "yes";
  return {
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "/bin/false",
    GIT_ALLOW_PROTOCOL: `https:http:ssh:git${isFileAllowed ? ":file" : ""}`,
  };
}
