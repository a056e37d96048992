import type { AgentContext } from "../agent-context.ts";
import type { LocalContext } from "../local-context.ts";
import type { StartJob } from "../loops/take-jobs.ts";
import { clearLeftovers } from "../processes/clear-leftovers.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";

/** How jobs come to run in an agent. */
export type Executor = {
  /** Resumes what a former process of this agent has left under way; until there is a broker, looks after it. */
  readonly resume: () => Promise<void>;
  /** There is a broker: what was resumed goes on. Returns how jobs are begun. */
  readonly connect: (agent: AgentContext) => StartJob;
  /** The agent is about to end. */
  readonly close?: () => Promise<void>;
};

/** Makes the jobs' side of an agent. What runs them is read from disk now, before it is needed. */
export async function openHostExecutor(
  local: LocalContext,
  shutdown: ShutdownState,
): Promise<Executor> {
  const { resumeJob, startJob } = await import("./run-job.ts");
  const { forgetExecution, listStoredExecutions } = await import("./execution-record.ts");
  const { countResume, maxResumes } = await import("./resume-attempts.ts");
  const { giveUpJob } = await import("./resume-attempts.ts");
  const { config, log, runningJobs } = local;
  const connected = Promise.withResolvers<AgentContext>();
  return {
    connect(agent) {
      connected.resolve(agent);
      return (claimed) => {
        const job = startJob(agent, claimed);
        // What has not begun when the agent begins to shut down, somebody else may as well do.
        const back = (): void => void job.giveBack();
        shutdown.requested.addEventListener("abort", back, { once: true });
        void job.done.then(() => shutdown.requested.removeEventListener("abort", back));
        return job;
      };
    },
    async resume() {
      const { stored, unreadable } = await listStoredExecutions(config.dataDir);
      for (const executionId of unreadable) {
        log.warn(
          { execution_id: executionId },
          "the stored state of an execution cannot be read; it is deleted",
        );
        await forgetExecution(config.dataDir, executionId);
      }
      for (const { execution_id, job_user, cgroup } of stored) {
        if (job_user !== undefined) local.jobUsers.keep(execution_id, job_user);
        if (cgroup !== undefined) local.jobCgroups.keep(execution_id, cgroup);
      }
      await clear(local, new Set(stored.map((one) => one.execution_id)));
      for (const one of stored) {
        const times = await countResume(config.dataDir, one.execution_id);
        if (times > maxResumes) {
          await giveUpJob(local, one, maxResumes);
          continue;
        }
        log.info({ execution_id: one.execution_id }, "resuming a job");
        runningJobs.add(resumeJob(local, one, connected.promise));
      }
    },
  };
}

/** Whatever else former processes of this agent left on this host. */
async function clear(
  { config, runDir, log, jobUsers, jobCgroups }: LocalContext,
  keep: ReadonlySet<string>,
): Promise<void> {
  const cgroups = await jobCgroups.clear();
  if (cgroups > 0) log.warn({ cgroups }, "processes in cgroups of former jobs were killed");
  const users = await jobUsers.clear();
  if (users > 0) log.warn({ users }, "processes of former job users were killed");
  const place = { runDir: runDir.path, workDir: config.workDir, keep };
  const { killed, folders, words } = await clearLeftovers(place);
  if (folders > 0) log.warn({ folders, killed }, "leftovers of former executions were removed");
  for (const one of words) log.warn(one);
}
