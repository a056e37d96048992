import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import { untilAborted } from "../client/pause.ts";
import type { Handler, Job, JobResult } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { Refusal } from "../mng/driver.ts";
import type { Operation, Outcome } from "../mng/journal.ts";
import type { Management } from "../mng/management.ts";
import { findOwnersProgram, runOwnersProgram } from "./owners-program.ts";

/**
 * Jobs of the process that manages a host. `svc-agent mng` does them itself; a program of the host's owner, named like
 * the job's type in the directory `management-dir`, is run instead.
 */
export const management: Handler = {
  types: [
    "mng-vm-shut-down",
    "mng-shut-down",
    "mng-runner-update-version",
    "mng-runner-restart",
    "mng-fetch-token",
  ],
  validate: () => ({ needsDirectories: true, runsAsAgentUser: true, execute: manage }),
};

const kinds: Partial<Record<RunnerJobType, Operation["kind"]>> = {
  "mng-vm-shut-down": "power-off",
  "mng-shut-down": "stop",
  "mng-runner-update-version": "update",
  "mng-runner-restart": "restart",
};

async function manage(job: Job): Promise<JobResult> {
  const { type } = job.info;
  const program = await findOwnersProgram(job);
  if (program !== undefined) return await runOwnersProgram(job, program);
  const kind = kinds[type as RunnerJobType]; // a type of this handler
  const { management: managed } = job.agent;
  if (managed !== undefined) {
    return kind === undefined ? await fetchToken(managed) : await operate(job, managed, kind);
  }
  throw new JobFailure(
    `This agent has no program for ${type}: run svc-agent mng, or set management-dir to a directory with a program of that name.`,
    { reason: "tool_missing" },
  );
}

const succeeded: readonly Outcome["result"][] = [
  "switched",
  "unchanged",
  "restarted",
  "stopped",
  "powering_off",
];

async function fetchToken(managed: Management): Promise<JobResult> {
  try {
    const { own, agent, expiresAt } = await managed.fetchTokens();
    const description =
      "New tokens are in their files; the previous ones remain valid for a while.";
    return { outputs: { own, agent, expires_at: expiresAt }, description };
  } catch (error) {
    if (error instanceof Refusal) throw new JobFailure(error.message, { reason: "refused" });
    throw error;
  }
}

async function operate(job: Job, managed: Management, kind: Operation["kind"]): Promise<JobResult> {
  const asked = managed.request({
    key: job.executionId,
    kind,
    named: { ...job.info.metadata, ...job.plan },
    drainMs: drainMsOf(job),
    say: (words) => job.log(words),
    signal: job.signal,
  });
  const outcome = await Promise.race([asked, untilAborted(job.killSignal)]);
  if (outcome === undefined) {
    const words = "The job was stopped; what it started on this host continues to its end.";
    throw new JobFailure(words, { reason: "step_failed", class: "left_alone" });
  }
  const { result, words, from, to } = outcome;
  const outputs = { result, from, to, driver: job.agent.config.mngDriver };
  if (succeeded.includes(result)) return { outputs, description: words };
  const reason = result === "refused" ? "refused" : "step_failed";
  throw new JobFailure(words, { reason, class: result, outputs });
}

const spareMs = 30_000;

/** The time in which running jobs may finish: so that the job's own deadline leaves time to prove, and to go back. */
function drainMsOf({ agent: { config }, deadlineAtMs }: Job): number {
  const leftMs = deadlineAtMs - Date.now() - 2 * config.mngProbation - spareMs;
  return Math.max(0, Math.min(config.drainTimeout, leftMs));
}
