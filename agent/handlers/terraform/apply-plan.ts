import type { JobFailure } from "../../jobs/job-failure.ts";
import { stateCommand } from "./apply-result.ts";
import { isJobKilled, leaveHalfDone } from "./leave-half-done.ts";
import { noteApplyBegun } from "./lost-with-host.ts";
import { isOnlyUnsaved, type Rescued, rescueState } from "./rescue-state.ts";
import { isWell, type Ran, runTerraform, type TerraformCommand } from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { failureOfRun, terraformFailure } from "./terraform-failure.ts";

/** Applies the plan in the plan file. What in it is sensitive must be known by then. Throws JobFailure. */
export async function applyPlan(context: TerraformContext): Promise<Ran> {
  await noteApplyBegun(context.job);
  const ran = await runTerraform(context, {
    ...applyCommand(context),
    next: stateCommand(context),
  });
  if (isWell(ran)) return ran;
  const rescued = await rescueState(context);
  if (rescued === "saved" && isOnlyUnsaved(ran)) return ran;
  throw await unwell(context, ran, rescued);
}

/** The command that applies the plan. */
export function applyCommand({ run, files, progress }: TerraformContext): TerraformCommand {
  return {
    key: "apply",
    step: "apply",
    args: [
      "apply",
      "-input=false",
      "-json",
      `-lock-timeout=${Math.round(run.lockTimeoutMs / 1000)}s`,
      files.plan,
    ],
    output: "stream",
    onStep: progress.tell,
  };
}

async function unwell(context: TerraformContext, ran: Ran, rescued: Rescued): Promise<JobFailure> {
  const { job } = context;
  const { begun } = ran.said;
  if (isJobKilled(ran) || (job.killSignal.aborted && begun > 0)) {
    return await leaveHalfDone(context, ran, { kind: "killed_dirty", rescued });
  }
  if (rescued === "at-broker" || rescued === "on-host") return unsaved(ran, rescued);
  if (job.signal.aborted && begun > 0) {
    return await leaveHalfDone(context, ran, { kind: "interrupted", rescued });
  }
  return await failureOfRun(context, "apply", ran);
}

function unsaved({ end, said }: Ran, rescued: "at-broker" | "on-host"): JobFailure {
  const where =
    rescued === "at-broker"
      ? "The broker keeps it as a rescued state: inspect it, then make it the current one or discard it"
      : "It is sealed on this host and is sent to the broker as soon as the broker accepts it";
  const detail = `terraform could not save its state after ${said.made} changes. ${where}. Until then the workspace is blocked.`;
  return terraformFailure(detail, {
    class: "state_push_failed",
    detail,
    code: end.code,
    diagnostics: said.diagnostics,
    metadata: { rescued, made: String(said.made) },
  });
}
