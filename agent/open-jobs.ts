import type { Departure } from "./going-down/departure.ts";
import type { JobHost } from "./jobs/job-host.ts";
import type { StartJob } from "./loops/take-jobs.ts";
import type { AgentParts } from "./parts.ts";
import { clearLeftovers } from "./processes/clear-leftovers.ts";

/** How jobs come to run in an agent. */
export type Jobs = {
  readonly start: StartJob;
  /** Takes up again what a former process of this agent has left under way. */
  readonly resume: () => Promise<void>;
};

/** Makes the jobs' side of an agent. What runs them is read from disk now, before it is needed. */
export async function openJobs(
  agent: AgentParts,
  {
    departure,
    openJobLog,
  }: { readonly departure: Departure; readonly openJobLog: JobHost["openJobLog"] },
): Promise<Jobs> {
  const { resumeJob, startJob } = await import("./jobs/run-job.ts");
  const { forgetExecution, listStoredExecutions } = await import("./jobs/execution-book.ts");
  const { countTakeUp, mostTakeUps } = await import("./jobs/take-ups.ts");
  const { giveUpJob } = await import("./jobs/give-up-job.ts");
  const goDown: JobHost["goDown"] = (how, why) => {
    const deadlineMs = performance.now() + agent.config.drainTimeout;
    const exit = how === "restart" ? "restart" : "done";
    departure.begin({ urgency: "draining", exit, why, deadlineMs });
  };
  const host: JobHost = { ...agent, openJobLog, goDown };
  return {
    start(claimed) {
      const job = startJob(host, claimed);
      // What has not begun when the agent begins to go down, somebody else may as well do.
      const back = (): void => void job.giveBack();
      departure.begun.addEventListener("abort", back, { once: true });
      void job.done.then(() => departure.begun.removeEventListener("abort", back));
      return job;
    },
    async resume() {
      const { dataDir } = agent.config;
      const { stored, unreadable } = await listStoredExecutions(dataDir);
      for (const executionId of unreadable) {
        agent.log.warn(
          { execution_id: executionId },
          "what was kept of an execution cannot be read",
        );
        await forgetExecution(dataDir, executionId);
      }
      await clear(agent, new Set(stored.map((one) => one.execution_id)));
      for (const one of stored) {
        const times = await countTakeUp(dataDir, one.execution_id);
        if (times > mostTakeUps) {
          await giveUpJob(host, one, mostTakeUps);
          continue;
        }
        agent.log.info({ execution_id: one.execution_id }, "taken up again");
        agent.roster.add(resumeJob(host, one));
      }
    },
  };
}

/** Whatever else former processes of this agent left on this host. */
async function clear(
  { config, runDir, log }: AgentParts,
  keep: ReadonlySet<string>,
): Promise<void> {
  const place = { runDir: runDir.path, workDir: config.workDir, keep };
  const { killed, folders, words } = await clearLeftovers(place);
  if (folders > 0) log.warn({ folders, killed }, "what former executions left was taken away");
  for (const one of words) log.warn(one);
}
