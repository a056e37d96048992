import { exitCodes } from "../errors/exit-codes.ts";
import { statusExitCode } from "../jobs/job-end.ts";
import type { Screen } from "../output/screen.ts";
import type { MadePlan, PlanDraft, PlanKind, Planned, Terminal } from "./plan-kind.ts";
import { readJobResult, runPlanJob } from "./run-plan-job.ts";

/** Has something planned by a runner and shows the plan. */
export async function makePlan(at: Terminal, kind: PlanKind, draft: PlanDraft): Promise<MadePlan> {
  const { job, sayHeldBack } = await runPlanJob(at, kind, { ...draft, ownerType: kind.ownerType });
  const made = { kind, job, draft, code: statusExitCode(job) };
  if (job.status !== "finished") return { ...made, planned: undefined };
  try {
    const planned = await kind.readPlanned(job.id, await readJobResult(at, job));
    showPlan(at.screen, planned);
    return { ...made, planned };
  } catch (error) {
    sayHeldBack();
    throw error;
  }
}

/** On standard output; beside JSON and names on standard error. The log, as it is told here, is without it. */
export function showPlan(screen: Screen, { display }: Planned): void {
  if (display === "") return;
  if (screen.format === "table") screen.out(display);
  else screen.say(display);
}

/** For programs: the job, and what the plan comes to. */
export function tellPrograms(screen: Screen, { job, draft, planned }: MadePlan): void {
  if (screen.format === "name") screen.out(job.id);
  else if (screen.format !== "table") {
    const plan = planned && { ...planned.summary, display: planned.display };
    screen.out(JSON.stringify({ job, ...draft.told, plan: plan ?? null }));
  }
}

/** What is said of a plan that is not applied at once; answers the exit code. */
export function endPlan(
  screen: Screen,
  made: MadePlan,
  { isDetailed }: { readonly isDetailed: boolean },
): number {
  tellPrograms(screen, made);
  const { planned, kind, job, draft, code } = made;
  if (planned === undefined) return code;
  if (planned.obstacle !== "") screen.say(planned.obstacle);
  else if (planned.hasChanges) screen.say(`Apply exactly this: ${laterWords(kind, draft, job.id)}`);
  else screen.say("Nothing would change.");
  const differs = planned.hasChanges || planned.obstacle !== "";
  return isDetailed && differs ? exitCodes.drift.code : code;
}

/** How a plan is applied later. */
export function laterWords(
  { noun, appliesBy }: PlanKind,
  { operation }: Pick<PlanDraft, "operation">,
  jobId: string,
): string {
  return `svc ${noun} ${appliesBy[operation]} --job ${jobId}`;
}
