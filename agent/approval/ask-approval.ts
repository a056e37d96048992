import { stat } from "node:fs/promises";
import { formatDuration } from "../../shared/duration.ts";
import { maskPlan } from "../../shared/plans/mask-plan.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { Job, JobWork } from "../jobs/handler.ts";
import { redactedJson } from "../jobs/redacted-json.ts";
import type { ApprovalAnswer, ApprovalRequest } from "./approval-request.ts";
import { askFolder } from "./ask-folder.ts";
import { askProgram } from "./ask-program.ts";
import { concernsAgentAlone, isPlanOnly, refused } from "./refusal-by-rules.ts";

/** Whether a job needs approval before its handler begins: it changes something and does not ask by itself. */
export function needsApproval(work: JobWork, { info, plan }: Pick<Job, "info" | "plan">): boolean {
  const changes =
    work.needsDirectories === true && !isPlanOnly(info, plan) && !concernsAgentAlone(info.type);
  return changes && work.asksApproval !== true;
}

/**
 * Asks the approver that `require-approval` names; once, even if the agent restarts. Without the setting nobody is
 * asked. `display` describes the changes for people and replaces the plan, both without secrets. Throws JobFailure
 * (`refused`) unless the answer is yes.
 */
export async function askApproval(job: Job, display?: string): Promise<void> {
  const { requireApproval: approver, approvalTimeout } = job.agent.config;
  if (approver === undefined) return;
  const askedAtMs = await job.once("consent/asked", async () => await Promise.resolve(Date.now()));
  const giveUpAtMs = askedAtMs + approvalTimeout;
  job.log(`Asks ${approver} for approval.`, "info", "", "consent/asked");
  const request = { approver, job, text: shownOf(job, display), giveUpAtMs };
  const { isYes, why } = await job.once("consent/answer", async () => await answerTo(request));
  if (!isYes) throw refused("require-approval", `This job was not approved (${why})`);
  job.log(`It is approved${why === "" ? "" : `: ${why}`}.`, "info", "", "consent/answered");
}

async function answerTo(request: ApprovalRequest): Promise<ApprovalAnswer> {
  const found = await stat(request.approver).catch(() => undefined);
  if (found === undefined) return { isYes: false, why: `${request.approver} does not exist` };
  const answer = found.isDirectory() ? await askFolder(request) : await askProgram(request);
  if (answer !== undefined) return answer;
  const { job } = request;
  // Not an answer of the approver, so it must not be stored.
  if (job.signal.aborted)
    throw refused("require-approval", "This job was stopped before it was approved");
  const after = formatDuration(job.agent.config.approvalTimeout * 1e6);
  return { isYes: false, why: `nobody answered within ${after}` };
}

function shownOf(job: Job, display: string | undefined): string {
  const { id, type, operation, metadata } = job.info;
  const what =
    display === undefined
      ? { plan: maskPlan(type as RunnerJobType, job.plan) } // the plan of an unknown type is masked completely
      : { display };
  const asked = { job_id: id, execution_id: job.executionId, type, operation, metadata, ...what };
  return `${redactedJson(job, asked, 2)}\n`;
}
