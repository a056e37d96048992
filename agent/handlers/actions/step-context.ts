import path from "node:path";
import { type Brands, brandsIn } from "../../../shared/brands.ts";
import { writeCloudCredentials } from "../../credentials/cloud-credentials.ts";
import { writeKubeconfig } from "../../credentials/kubeconfig.ts";
import { makeJobFolders } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { hostKubeconfigEnv } from "../../kubernetes/host-kubeconfig.ts";
import { allowedEnv } from "../../processes/allowed-env.ts";
import type { ActionRun } from "./action-steps.ts";
import { brandedEnv } from "./branded-env.ts";
import { openOutputStore } from "./output-store.ts";
import type { StepOutputs } from "./step-outputs.ts";
import { makeStepReports, type StepReports } from "./step-reports.ts";

/** What the steps of a run share. */
export type StepContext = {
  readonly job: Job;
  readonly run: ActionRun;
  readonly outputs: StepOutputs;
  readonly reports: StepReports;
  /** The directory in which steps without a source run. */
  readonly work: string;
  /** Other names of svc, by which steps have our variables, too. */
  readonly brands: Brands;
  /** The part of the environment that all steps share. */
  readonly env: (stepEnv: Readonly<Record<string, string>>) => Record<string, string>;
  /** Stores what was set so far, for when the job resumes. */
  readonly keepOutputs: () => Promise<void>;
  /** Makes what was set so far available to steps that start later. */
  readonly handOnOutputs: () => Promise<void>;
  /** Steps that ran, by index. */
  readonly ran: Set<number>;
};

/** Creates directories and credentials; restores the outputs of steps that ran before a restart of the agent. */
export async function openStepContext(job: Job, run: ActionRun): Promise<StepContext> {
  const { workspace, owner } = job.directories;
  const folders = ["work", "home", "tmp", "sources"].map((name) => path.join(workspace, name));
  await makeJobFolders(folders, owner);
  const [work = "", home = "", tmp = ""] = folders;
  const { plan } = run;
  const credentials = await writeCredentials(job, run);
  const book = await openOutputStore(job.directories);
  const brands = brandsIn(plan.brands ?? []);
  const own = {
    SVC_JOB_ID: job.info.id,
    SVC_EXECUTION_ID: job.executionId,
    SVC_ATTEMPT: String(job.info.execution_count),
    SVC_INSTALL_ID: plan.install_id ?? "",
    SVC_ACTION_RUN_ID: plan.id ?? "",
    SVC_WORKSPACE: work,
    SVC_ACTIONS_PREVIOUS_OUTPUTS_FILEPATH: book.file,
  };
  return {
    job,
    run,
    outputs: book.outputs,
    keepOutputs: book.keep,
    handOnOutputs: book.handOn,
    reports: makeStepReports(job, plan),
    work,
    brands,
    ran: new Set(),
    env: (stepEnv) => {
      const { brokerUrl, env: agent } = job.agent.config;
      const sources = [
        brokerUrl === undefined ? {} : { SVC_API_URL: brokerUrl }, // a broker that knows its public address names that
        plan.builtin_env_vars ?? {},
        plan.secret_env_vars ?? {},
        stepEnv,
        plan.override_env_vars ?? {},
        run.credentials.cluster_info?.env_vars ?? {},
      ];
      const wanted = brandedEnv(sources, brands);
      const { env, refused } = allowedEnv({ agent, plan: wanted, brands, home, tmp });
      for (const { name, words } of refused) {
        if (!sources.some((source) => Object.hasOwn(source, name))) continue; // its name of ours is told
        job.log(`The variable ${name} is ignored: ${words}.`, "warn", "", `left-out ${name}`);
      }
      return {
        ...job.agent.networkEnv,
        ...env,
        ...credentials,
        ...brandedEnv([own], brands),
      };
    },
  };
}

/** Writes what the run signs in with; answers the variables that name it. */
async function writeCredentials(
  { agent, directories: { secrets: folder, owner } }: Job,
  { plan, credentials }: ActionRun,
): Promise<Record<string, string>> {
  const place = { folder, owner, clouds: credentials };
  return {
    ...(await writeCloudCredentials(credentials, { folder, owner })),
    ...(plan.host_cluster === true && hostKubeconfigEnv(agent.config.env)),
    ...(await writeKubeconfig(credentials.cluster_info, place)),
  };
}
