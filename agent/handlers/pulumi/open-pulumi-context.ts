import { existsSync } from "node:fs";
import path from "node:path";
import { writeCloudCredentials } from "../../credentials/cloud-credentials.ts";
import { writeKubeconfig } from "../../credentials/kubeconfig.ts";
import {
  makeJobFolders,
  readJobText,
  writeJobFile,
  writeJobFileOnce,
} from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { openProgress } from "../../jobs/open-progress.ts";
import { isSecretName } from "../../jobs/secret-names.ts";
import { allowedEnv } from "../../processes/allowed-env.ts";
import { fetchSource } from "../../sources/fetch-source.ts";
import { findPulumi } from "../../tools/find-pulumi.ts";
import { lostWithHost } from "./lost-with-host.ts";
import { isFault, type PulumiProject, readProjectFile } from "./project-file.ts";
import { killGraceMs, type PulumiContext, type PulumiFiles } from "./pulumi-context.ts";
import { pulumiFailure } from "./pulumi-failure.ts";
import type { PulumiRun } from "./pulumi-run.ts";
import { makeStackCrypter } from "./stack-crypter.ts";
import { bringState, openAtBroker, type StatePlace, statePlace } from "./state-file.ts";

/** Fetches program and state and writes pulumi's files; what an earlier process of the agent did is not repeated. */
export async function openPulumiContext(job: Job, run: PulumiRun): Promise<PulumiContext> {
  const { workspace, secrets, owner } = job.directories;
  const names = ["home", "tmp", "pulumi-home"];
  const folders = names.map((name) => path.join(workspace, name));
  const memory = path.join(secrets, "pulumi");
  const isAnew = await job.once("pulumi/ground", async () => {
    await makeJobFolders([...folders, memory], owner);
    return true;
  });
  // A restart of the host lost what was in memory.
  if (isAnew && !existsSync(memory)) throw await lostWithHost(job, run);
  const [home = "", tmp = "", pulumiHome = ""] = folders;
  const { program, version } = await findPulumi(job.agent.config, run.version);
  const env = await environment(job, run, { home, tmp });
  const { directory: cwd, revision } = await fetchSource(job, run.source, {
    name: "program",
    key: "source",
    step: "source",
    title: "The job",
    env,
  });
  if (revision !== "") job.log(`The program is at ${revision}.`, "info", "source", "revision");
  const project = await projectOf(job, run, cwd);
  const place = statePlace(job, project, run);
  const files = filesOf(run, { memory, state: place.file });
  const began = await bringStack(job, run, { project, place, files });
  const graceMs = run.patienceMs ?? job.agent.config.terraformPatience;
  return {
    job,
    run,
    program,
    version,
    cwd,
    project,
    revision,
    stateRevision: began.revision,
    stateDigest: began.digest,
    files,
    progress: openProgress(job),
    stop: { signal: "SIGINT", to: "leader", graceMs, hurryMs: killGraceMs },
    env: {
      ...env,
      PULUMI_HOME: pulumiHome,
      PULUMI_BACKEND_URL: place.url,
      PULUMI_CONFIG_PASSPHRASE_FILE: files.passphrase,
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DIY_BACKEND_DISABLE_CHECKPOINT_BACKUPS: "true",
      // Has the engine write what it does to a file, and read and write saved plans.
      PULUMI_DEBUG_COMMANDS: "true",
      PULUMI_EXPERIMENTAL: "true",
    },
  };
}

function filesOf(
  { stackName }: PulumiRun,
  { memory, state }: Pick<PulumiFiles, "memory" | "state">,
): PulumiFiles {
  return {
    memory,
    config: path.join(memory, `Pulumi.${stackName}.yaml`),
    passphrase: path.join(memory, "passphrase"),
    plan: path.join(memory, "plan.json"),
    state,
  };
}

const mostPassphraseBytes = 1_024;

type Stack = {
  readonly project: PulumiProject;
  readonly place: StatePlace;
  readonly files: PulumiFiles;
};

type Began = { readonly revision: number; readonly digest: string };

/** Brings state, passphrase and config of the stack to where pulumi reads them; answers what the state is. */
async function bringStack(
  job: Job,
  run: PulumiRun,
  { project, place, files }: Stack,
): Promise<Began> {
  const { owner } = job.directories;
  await job.once("pulumi/state-file", async () => await Promise.resolve(place.file));
  // Asked once: what the broker has later is this job's own, and an agent that goes on with an update needs no broker for it.
  const began = await job.once("pulumi/state", async () => {
    const { revision, passphrase } = await openAtBroker(job, run);
    await writeJobFile(files.passphrase, passphrase, owner);
    const digest = await bringState(job, { run, project, place, revision });
    return { revision, digest };
  });
  const passphrase = await readJobText(files.passphrase, owner, mostPassphraseBytes);
  job.addSecret(passphrase);
  if (!existsSync(files.config)) {
    const text = await configText(run, project, passphrase);
    await writeJobFileOnce(files.config, text, owner);
  }
  return began;
}

async function projectOf(job: Job, { runtime }: PulumiRun, cwd: string): Promise<PulumiProject> {
  const read = await readProjectFile(job, cwd);
  if (isFault(read)) {
    const metadata = { file: read.file };
    throw pulumiFailure(`${read.words} Nothing was changed.`, {
      class: "config_invalid",
      metadata,
    });
  }
  if (runtime === undefined || runtime === read.runtime) return read;
  throw pulumiFailure(
    `The plan says that the program's runtime is ${runtime}; its Pulumi.yaml says ${read.runtime}. Nothing was changed.`,
    { class: "config_invalid", metadata: { file: "Pulumi.yaml" } },
  );
}

/**
 * Names without a namespace are the project's own, as with `pulumi config set`. What has a secret's name is a secret of the
 * program, too: pulumi then keeps it out of what it prints, and encrypts it in the state.
 */
async function configText(
  { config }: PulumiRun,
  { name }: PulumiProject,
  passphrase: string,
): Promise<string> {
  const { salt, encrypt } = await makeStackCrypter(passphrase);
  const entries = Object.entries(config).map(([key, value]) => [
    key.includes(":") ? key : `${name}:${key}`,
    isSecretName(key) ? { secure: encrypt(value) } : value,
  ]);
  // JSON is YAML, too.
  return JSON.stringify({ encryptionsalt: salt, config: Object.fromEntries(entries) as object });
}

type Folders = { readonly home: string; readonly tmp: string };

async function environment(
  job: Job,
  run: PulumiRun,
  { home, tmp }: Folders,
): Promise<Record<string, string>> {
  const { secrets: folder, owner } = job.directories;
  const { config, networkEnv } = job.agent;
  const { credentials } = run;
  const told = {
    ...(await writeCloudCredentials(credentials, { folder, owner })),
    ...(await writeKubeconfig(credentials.cluster_info, { folder, owner, clouds: credentials })),
  };
  const plan = { ...run.env, ...credentials.cluster_info?.env_vars };
  const { env, refused } = allowedEnv({ agent: config.env, plan, home, tmp });
  for (const name of Object.keys(env).filter((one) => one.startsWith("PULUMI_"))) {
    delete env[name];
    refused.push({ name, words: "only the agent configures how pulumi runs" });
  }
  for (const { name, words } of refused) {
    job.log(`The variable ${name} is ignored: ${words}.`, "warn", "", `left-out ${name}`);
  }
  if (job.token === undefined) {
    const words =
      "The agent that claimed the job was killed before the job began, and the job's token is lost.";
    throw new JobFailure(words, { reason: "lost", class: "lost" });
  }
  return {
    ...networkEnv,
    ...env,
    ...told,
    SVC_JOB_ID: job.info.id,
    SVC_EXECUTION_ID: job.executionId,
    SVC_ATTEMPT: String(job.info.execution_count),
  };
}
