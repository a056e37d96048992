import path from "node:path";
import { makeJobFolders, writeJobFileOnce } from "../job-users/job-files.ts";
import type { Job, JobResult } from "../jobs/handler.ts";
import { JobFailure } from "../jobs/job-failure.ts";
import { allowedEnv } from "../processes/allowed-env.ts";
import { findProgram } from "../processes/find-program.ts";

/** The program of the host's owner for jobs of this type, if there is one in `management-dir`. */
export async function findOwnersProgram({ agent, info }: Job): Promise<string | undefined> {
  const { managementDir } = agent.config;
  if (managementDir === undefined) return undefined;
  const program = path.join(path.resolve(managementDir), info.type);
  if (agent.management === undefined) return program;
  return await findProgram(program, { cwd: "/", search: "" });
}

/** Runs it as the agent's user, with the plan in a file; its exit code is the job's end. */
export async function runOwnersProgram(job: Job, program: string): Promise<JobResult> {
  const { type, id } = job.info;
  const { workspace, secrets, owner } = job.directories;
  const [home, tmp] = [path.join(workspace, "home"), path.join(workspace, "tmp")];
  await makeJobFolders([home, tmp], owner);
  const planFile = path.join(secrets, "plan.json");
  await writeJobFileOnce(planFile, JSON.stringify(job.plan), owner);
  job.onOutput(async () => await Promise.reject(new Error("Jobs of this type have no outputs.")));
  const { env } = allowedEnv({ agent: job.agent.config.env, plan: {}, home, tmp });
  const end = await job.run({
    key: "program",
    step: type,
    argv: [program],
    cwd: workspace,
    env: { ...job.agent.networkEnv, ...env, SVC_JOB_ID: id, SVC_PLAN_FILEPATH: planFile },
  });
  if (end.why === "exited" && end.code === 0) return {};
  throw new JobFailure(`The program for ${type} ${end.words}.`, {
    reason: "step_failed",
    code: end.code ?? 1,
  });
}
