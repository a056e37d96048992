import { formatDuration } from "../../../shared/duration.ts";
import type { Job, JobResult } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { type ActionRun, type ActionStep, stepTitle } from "./action-steps.ts";
import { runStep, type StepEnd } from "./run-step.ts";
import { openStepContext, type StepContext } from "./step-context.ts";

/**
 * Runs the steps in order; after a failure or a stop, only those that always run. Throws JobFailure at the end if any
 * failed.
 */
export async function runSteps(job: Job, run: ActionRun): Promise<JobResult> {
  if (run.steps.length === 0) return { description: "The plan has no steps." };
  const context = await openStepContext(job, run);
  let failed: { readonly step: ActionStep; readonly end: StepEnd } | undefined;
  for (const step of run.steps) {
    if (!mayRun(job, step, failed !== undefined)) {
      job.log(`${stepTitle(step)} is skipped.`, "info", step.name, `${step.index}/skipped`);
      continue;
    }
    const end = await endOf(context, step);
    if (end.status === "finished") continue;
    if (step.mayFail && !job.signal.aborted) {
      job.log(
        `${end.words} The next step runs anyway.`,
        "warn",
        step.name,
        `${step.index}/goes-on`,
      );
    } else failed ??= { step, end };
  }
  const outputs = context.outputs.shown();
  if (failed === undefined) {
    if (job.signal.aborted && run.steps.some(({ index }) => !context.ran.has(index))) {
      throw new JobFailure("Some steps did not run.", { reason: "step_failed", outputs });
    }
    return { outputs };
  }
  const { step, end } = failed;
  throw new JobFailure(end.words, {
    reason: end.reason ?? "step_failed",
    code: end.code,
    metadata: { ...end.metadata, step: step.name, step_index: String(step.index) },
    outputs,
  });
}

function mayRun(job: Job, step: ActionStep, hasFailed: boolean): boolean {
  if (job.killSignal.aborted) return false;
  return step.isAlways || (!hasFailed && !job.signal.aborted);
}

/** A step that ended under an earlier process of the agent is not run again. */
async function endOf(context: StepContext, step: ActionStep): Promise<StepEnd> {
  const { job, reports } = context;
  context.ran.add(step.index);
  const end = await job.once(`step/${step.index}`, async () => {
    reports.tell(step, "in-progress", 0);
    job.log(stepTitle(step), "info", step.name, `${step.index}/begun`);
    return await runStep(context, step);
  });
  takeUpOutputs(context, step, end);
  reports.tell(step, end.status, end.tookMs);
  const took = formatDuration(end.tookMs * 1e6);
  const [words, severity] =
    end.status === "finished"
      ? ([`${stepTitle(step)} finished in ${took}.`, "info"] as const)
      : ([end.words, "error"] as const);
  job.log(words, severity, step.name, `${step.index}/ended`);
  return end;
}

/** A restart of the host loses what was in memory; outputs that are not secret are restored from the step's end. */
function takeUpOutputs({ outputs }: StepContext, { name }: ActionStep, end: StepEnd): void {
  const known = outputs.shownOf(name);
  for (const [output, value] of Object.entries(end.outputs ?? {})) {
    if (!Object.hasOwn(known, output)) outputs.set(name, output, value);
  }
}
