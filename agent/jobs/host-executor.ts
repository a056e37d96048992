import type { AgentContext } from "../agent-context.ts";
import type { LocalContext } from "../local-context.ts";
import type { StartJob } from "../loops/take-jobs.ts";
import { clearLeftovers } from "../processes/clear-leftovers.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";

/** Runs the jobs of an agent, on its host or in pods. */
export type Executor = {
  /** Resumes the jobs of an earlier process of this agent; supervises them until the broker is reachable. */
  readonly resume: () => Promise<void>;
  /** Called once the broker is connected: resumed jobs continue. Returns the function that starts jobs. */
  readonly connect: (agent: AgentContext) => StartJob;
  /** Called right before the agent ends. */
  readonly close?: () => Promise<void>;
};

/** Makes the executor that runs jobs on this host. Its modules are loaded now, not when the disk may be full. */
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
        // A job that has not begun when the shutdown begins is given back to other agents.
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

/** Removes what earlier processes of this agent left on this host otherwise. */
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
