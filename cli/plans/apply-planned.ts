import { exitCodes } from "../errors/exit-codes.ts";
import { statusExitCode } from "../jobs/job-end.ts";
import { ask } from "../output/ask.ts";
import { applyPlanText } from "./apply-plan-text.ts";
import { laterWords, tellPrograms } from "./make-plan.ts";
import type { MadePlan, Terminal } from "./plan-kind.ts";
import { runPlanJob } from "./run-plan-job.ts";

/** How a plan is approved. */
export type Approval = {
  readonly isApproved: boolean;
  readonly question: string;
  /** What is said where nothing is to be done. */
  readonly nothing: string;
};

/** Applies exactly the plan that was made, if somebody says yes to it; answers the exit code. */
export async function applyPlanned(
  at: Terminal,
  made: MadePlan,
  { isApproved, question, nothing }: Approval,
): Promise<number> {
  const { screen } = at;
  const { kind, draft, planned } = made;
  const leave = (code: number, words?: string): number => {
    tellPrograms(screen, made);
    if (words !== undefined) screen.say(words);
    return code;
  };
  if (planned === undefined) return leave(made.code);
  if (planned.obstacle !== "") return leave(exitCodes.failed.code, planned.obstacle);
  if (!planned.hasChanges) return leave(exitCodes.ok.code, nothing);
  if (!isApproved && !(await ask(`\n${question} Only 'yes' is taken: `))) {
    const later = laterWords(kind, draft, made.job.id);
    return leave(exitCodes.failed.code, `Nothing was applied. Later: ${later}`);
  }
  const { runnerId, ownerId, planText } = draft;
  const { job } = await runPlanJob(at, kind, {
    runnerId,
    operation: "apply-plan",
    ownerId,
    ownerType: made.job.owner_type || kind.ownerType,
    planText: applyPlanText(planText, planned),
  });
  if (screen.format === "name") screen.out(job.id);
  else if (screen.format !== "table") screen.out(JSON.stringify(job));
  else kind.showOutputs(screen, job.outputs ?? {});
  return statusExitCode(job);
}
