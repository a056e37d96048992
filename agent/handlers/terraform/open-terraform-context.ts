import { existsSync } from "node:fs";
import path from "node:path";
import { writeCloudCredentials } from "../../credentials/cloud-credentials.ts";
import { writeKubeconfig } from "../../credentials/kubeconfig.ts";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { allowedEnv } from "../../processes/allowed-env.ts";
import { fetchSource } from "../../sources/fetch-source.ts";
import { findTerraform } from "../../tools/find-terraform.ts";
import { makeInitReady } from "./init.ts";
import { lostWithHost } from "./lost-with-host.ts";
import { killGraceMs, type TerraformContext } from "./terraform-context.ts";
import { terraformFiles } from "./terraform-files.ts";
import type { TerraformRun } from "./terraform-run.ts";
import { writeTerraformFiles } from "./write-terraform-files.ts";

/** Fetches the source and writes terraform's files; what an earlier process of the agent did is not repeated. */
export async function openTerraformContext(job: Job, run: TerraformRun): Promise<TerraformContext> {
  const { workspace, secrets, owner } = job.directories;
  const names = ["home", "tmp", "data"];
  const folders = names.map((name) => path.join(workspace, name));
  const memory = path.join(secrets, "terraform");
  const isAnew = await job.once("terraform/ground", async () => {
    await makeJobFolders([...folders, memory], owner);
    return true;
  });
  // A restart of the host lost what was in memory: the plan, and what was known about it.
  if (isAnew && !existsSync(memory)) throw await lostWithHost(job, run);
  const [home = "", tmp = "", data = ""] = folders;
  const { program } = await findTerraform(job.agent.config, {
    ...run,
    signal: job.signal,
    say: (words) => job.log(words, "info", "tool", "tool"),
  });
  const scriptEnv = await environment(job, run, { home, tmp });
  const { directory: cwd, revision } = await fetchSource(job, run.source, {
    name: "configuration",
    key: "source",
    step: "source",
    title: "The job",
    env: scriptEnv({}),
  });
  if (revision !== "")
    job.log(`The configuration is at ${revision}.`, "info", "source", "revision");
  const files = terraformFiles(run, { cwd, data, memory });
  const graceMs = run.patienceMs ?? job.agent.config.terraformPatience;
  const context: TerraformContext = {
    job,
    run,
    program,
    cwd,
    revision,
    files,
    progress: openProgress(job),
    stop: { signal: "SIGINT", to: "leader", graceMs, hurryMs: killGraceMs },
    scriptEnv,
    env: {
      ...scriptEnv({}),
      TF_IN_AUTOMATION: "1",
      TF_INPUT: "0",
      CHECKPOINT_DISABLE: "1",
      TF_DATA_DIR: data,
      TF_CLI_CONFIG_FILE: files.cliConfig,
      TF_HTTP_USERNAME: "svc",
      TF_HTTP_PASSWORD: tokenOf(job),
    },
  };
  makeInitReady(context);
  await writeTerraformFiles(job, run, context);
  return context;
}

/** The job's token, as the agent's own would reach more than this job. */
function tokenOf({ token }: Job): string {
  if (token !== undefined) return token;
  const words =
    "The agent that claimed the job was killed before the job began, and the job's token is lost.";
  throw new JobFailure(words, { reason: "lost", class: "lost" });
}

type Folders = { readonly home: string; readonly tmp: string };

async function environment(
  job: Job,
  run: TerraformRun,
  { home, tmp }: Folders,
): Promise<TerraformContext["scriptEnv"]> {
  const { secrets: folder, owner } = job.directories;
  const { config, networkEnv } = job.agent;
  const { credentials } = run;
  const told = {
    ...(await writeCloudCredentials(credentials, { folder, owner })),
    ...(await writeKubeconfig(credentials.cluster_info, { folder, owner, clouds: credentials })),
  };
  return (more) => {
    const plan = { ...run.env, ...more, ...credentials.cluster_info?.env_vars };
    const { env, refused } = allowedEnv({ agent: config.env, plan, home, tmp });
    for (const name of Object.keys(env).filter((one) => terraforms.test(one))) {
      delete env[name];
      refused.push({ name, words: "only the agent configures how terraform runs" });
    }
    for (const { name, words } of refused) {
      job.log(`The variable ${name} is ignored: ${words}.`, "warn", "", `left-out ${name}`);
    }
    return {
      ...networkEnv,
      ...env,
      ...told,
      SVC_JOB_ID: job.info.id,
      SVC_EXECUTION_ID: job.executionId,
      SVC_ATTEMPT: String(job.info.execution_count),
    };
  };
}

/** Variables that change how terraform itself runs, or make it print everything. */
const terraforms =
  /^(?:TF_(?:LOG|CLI_CONFIG_FILE|DATA_DIR|WORKSPACE|HTTP|INPUT|IN_AUTOMATION|PLUGIN_CACHE|STATE|TEMP|IGNORE|APPEND)|TERRAFORM_CONFIG|CHECKPOINT_DISABLE$|TOFU_)/;
