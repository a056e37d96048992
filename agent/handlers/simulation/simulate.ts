import type { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { actionPlan } from "../../../shared/plans/action-plan.ts";
import { sandboxMode } from "../../../shared/plans/plan-members.ts";
import { pause } from "../../client/pause.ts";
import type { Job, JobInfo, JobWork, Plan, JobResult } from "../../jobs/handler.ts";
import { JobFailure } from "../../jobs/job-failure.ts";
import { makeStepReports } from "../actions/step-reports.ts";
import { type Phase, simulatedPhases } from "./phases.ts";
import { type Given, simulatedContents } from "./plan-contents.ts";
import { simulatedOutputs } from "./simulated-outputs.ts";

type SandboxMode = NonNullable<z.infer<typeof sandboxMode>>;

/** The plan's sandbox mode, when it is enabled in the plan or for all jobs. Throws JobFailure when it is invalid. */
export function sandboxModeOf(plan: Plan, isForced = false): SandboxMode | undefined {
  const { data, error } = sandboxMode.safeParse(plan["sandbox_mode"]);
  if (error === undefined && isForced) return { ...data, enabled: true };
  if (error === undefined) return data?.enabled === true ? data : undefined;
  throw new JobFailure(`The plan is invalid: sandbox_mode.${firstFault(error)}.`, {
    reason: "plan_invalid",
  });
}

/**
 * Work that runs nothing: it takes the requested time, logs its lines, and ends with the requested outputs or failure.
 */
export function simulate(info: JobInfo, plan: Plan, mode: SandboxMode): JobWork {
  const phases = simulatedPhases(info, plan);
  const failsAt = mode.fail_at || undefined;
  if (failsAt !== undefined && !phases.some(({ name }) => name === failsAt)) {
    const names = phases.map(({ name }) => name).join(", ");
    throw new JobFailure(
      `The plan is invalid: sandbox_mode.fail_at: unknown phase ${failsAt}; the phases are: ${names}.`,
      { reason: "plan_invalid" },
    );
  }
  return { execute: async (job) => await act(job, mode, phases) };
}

const usualPhaseMs = 100;

async function act(job: Job, mode: SandboxMode, phases: readonly Phase[]): Promise<JobResult> {
  const phaseMs = mode.duration == null ? usualPhaseMs : mode.duration / 1e6 / phases.length;
  const reports = makeStepReports(job, actionPlan.safeParse(job.plan).data ?? {});
  job.log("This job is simulated: nothing runs.", "info", "", "simulated");
  for (const [at, line] of (mode.log_lines ?? []).entries()) {
    job.log(line, "info", "", `line ${at}`);
  }
  for (const phase of phases) {
    const { name, line } = phase;
    await job.once(`phase/${name}`, async () => {
      reports.tell(phase, "in-progress", 0);
      job.log(line, "info", name, `phase ${name}`);
      await pause(phaseMs, job.signal);
      if (job.signal.aborted) {
        reports.tell(phase, "stopped", phaseMs);
        throw failure(`The simulated ${name} was stopped.`, mode);
      }
      if (mode.fail_at === name) {
        reports.tell(phase, "error", phaseMs);
        throw failure(mode.error || `The simulated ${name} failed, as the plan requested.`, mode);
      }
    });
    reports.tell(phase, "finished", phaseMs);
  }
  const result = simulatedContents(job.info, contentsOf(mode));
  const outputs = { ...simulatedOutputs(job.info, job.plan), ...mode.outputs };
  return { outputs, ...(result !== undefined && { result }) };
}

function failure(words: string, { error_code }: SandboxMode): JobFailure {
  return new JobFailure(words, { reason: "simulated", code: error_code ?? 1 });
}

function contentsOf({ terraform, helm, kubernetes_manifest }: SandboxMode): Given {
  return terraform ?? helm ?? kubernetes_manifest ?? {};
}
