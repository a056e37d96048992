import path from "node:path";
import { makeJobFolders, writeJobFileOnce } from "../job-users/job-files.ts";
import type { Handler, Job, JobResult } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { allowedEnv } from "../processes/allowed-env.ts";

/**
 * Jobs of the process that manages a host. How to restart, update or shut down differs between hosts: a program of the
 * operator does it, named like the job's type, in the directory `management-dir`.
 */
export const management: Handler = {
  types: [
    "mng-vm-shut-down",
    "mng-shut-down",
    "mng-runner-update-version",
    "mng-runner-restart",
    "mng-fetch-token",
  ],
  validate: () => ({ needsDirectories: true, runsAsAgentUser: true, execute: runProgram }),
};

async function runProgram(job: Job): Promise<JobResult> {
  const { type, id } = job.info;
  const { managementDir, env: agent } = job.agent.config;
  if (managementDir === undefined) {
    throw new JobFailure(
      `This agent has no program for ${type}: set management-dir to a directory with a program of that name.`,
      { reason: "tool_missing" },
    );
  }
  const { workspace, secrets, owner } = job.directories;
  const [home, tmp] = [path.join(workspace, "home"), path.join(workspace, "tmp")];
  await makeJobFolders([home, tmp], owner);
  const planFile = path.join(secrets, "plan.json");
  await writeJobFileOnce(planFile, JSON.stringify(job.plan), owner);
  job.onOutput(async () => await Promise.reject(new Error("Jobs of this type have no outputs.")));
  const { env } = allowedEnv({ agent, plan: {}, home, tmp });
  const end = await job.run({
    key: "program",
    step: type,
    argv: [path.join(path.resolve(managementDir), type)],
    cwd: workspace,
    env: { ...job.agent.networkEnv, ...env, SVC_JOB_ID: id, SVC_PLAN_FILEPATH: planFile },
  });
  if (end.why === "exited" && end.code === 0) return {};
  throw new JobFailure(`The program for ${type} ${end.words}.`, {
    reason: "step_failed",
    code: end.code ?? 1,
  });
}
