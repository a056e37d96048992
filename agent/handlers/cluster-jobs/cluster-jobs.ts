import type { Handler, Job, JobResult } from "../../jobs/handler.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { cleanUpJob } from "./clean-up-job.ts";
import { openJobDeployContext } from "./job-deploy-context.ts";
import { type JobRun, readJobRun } from "./job-run.ts";
import { planJob, planTeardown } from "./plan-job.ts";
import { runJob } from "./run-job.ts";
import { tearDownJobs } from "./tear-down-jobs.ts";

/** Jobs in a cluster: rendered as a plan, run once with their output in the log, torn down. */
export const clusterJobs: Handler = {
  types: ["job-deploy"],
  stopGraceMs: 60_000, // a pod has thirty seconds to end
  isRemote: true,
  validate: (plan, info) => {
    const run = readJobRun(plan, info);
    let isConcluded = false;
    return {
      needsDirectories: true,
      asksApproval: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => {
        const result = await deploy(job, run);
        isConcluded = true;
        return result;
      },
      cleanup: async (job) => {
        if (!isConcluded && run.action === "apply") await cleanUpJob(job, run);
      },
    };
  },
};

async function deploy(job: Job, run: JobRun): Promise<JobResult> {
  const context = await openJobDeployContext(job, run);
  try {
    return await acts[run.action](context);
  } catch (error) {
    throw explainRefusal(error, `The Job in ${context.namespace}`);
  } finally {
    context.cluster.close();
  }
}

const acts = {
  plan: planJob,
  "plan-teardown": planTeardown,
  apply: runJob,
  teardown: tearDownJobs,
} as const;
