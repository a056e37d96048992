import type { Handler, Job, Produced } from "../../jobs/handler.ts";
import { explainRefusal } from "../../kubernetes/explain-refusal.ts";
import { cleanUpJob } from "./clean-up-job.ts";
import { type JobRun, readJobRun } from "./job-run.ts";
import { openJobScene } from "./job-scene.ts";
import { planJob, planTeardown } from "./plan-job.ts";
import { runJob } from "./run-job.ts";
import { tearDownJobs } from "./tear-down-jobs.ts";

/** Jobs in a cluster: rendered as a plan, run once with what they print in the log, torn down. */
export const clusterJobs: Handler = {
  types: ["job-deploy"],
  restMs: 60_000, // a pod has thirty seconds to end
  isRemote: true,
  validate: (plan, facts) => {
    const run = readJobRun(plan, facts);
    let isConcluded = false;
    return {
      usesHost: true,
      asksConsent: true,
      timeoutMs: run.timeoutMs,
      execute: async (job) => {
        const produced = await deploy(job, run);
        isConcluded = true;
        return produced;
      },
      cleanup: async (job) => {
        if (!isConcluded && run.action === "apply") await cleanUpJob(job, run);
      },
    };
  },
};

async function deploy(job: Job, run: JobRun): Promise<Produced> {
  const scene = await openJobScene(job, run);
  try {
    return await acts[run.action](scene);
  } catch (error) {
    throw explainRefusal(error, `The Job in ${scene.namespace}`);
  } finally {
    scene.cluster.close();
  }
}

const acts = {
  plan: planJob,
  "plan-teardown": planTeardown,
  apply: runJob,
  teardown: tearDownJobs,
} as const;
