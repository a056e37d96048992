import { readJobText } from "../../job-users/job-files.ts";
import { isChange } from "./engine-events.ts";
import type { PulumiContext } from "./pulumi-context.ts";
import { failureOfRun, pulumiFailure } from "./pulumi-failure.ts";
import { renderSteps, type StepCounts, stepCounts } from "./render-steps.ts";
import { isWell, type Ran, runPulumi } from "./run-pulumi.ts";

/** What an update or a destroy would do. */
export type Preview = {
  readonly events: Ran;
  readonly counts: StepCounts;
  readonly hasChanges: boolean;
  /** For people, without secrets. */
  readonly display: string;
  /** The plan that pulumi saved; null where it is not asked to, or cannot: it makes none of a destroy. */
  readonly savedPlan: string | null;
};

type Asked = {
  readonly isDestroy: boolean;
  readonly savesPlan: boolean;
  /** Names it within the job; the same name is the same preview. */
  readonly key?: "preview" | "preview-again";
};

const mostPlanBytes = 128 * 2 ** 20;

/** Asks pulumi what it would do. Throws JobFailure. */
export async function makePreview(
  context: PulumiContext,
  { isDestroy, savesPlan, key = "preview" }: Asked = context.run,
): Promise<Preview> {
  const { job, files } = context;
  const saves = savesPlan && !isDestroy;
  const args = isDestroy
    ? ["destroy", "--preview-only"]
    : ["preview", ...(saves ? [`--save-plan=${files.plan}`] : [])];
  const events = await runPulumi(context, {
    key,
    step: "preview",
    args,
    isRepeatable: true,
  });
  if (!isWell(events)) throw failureOfRun(context, "preview", events);
  if (events.isCut)
    throw pulumiFailure(
      "The preview tells more than 96 MiB, so nobody can be shown all of what it would do. Print less, or split the stack.",
      { class: "too_large" },
    );
  const counts = stepCounts(events.counts);
  return {
    events,
    counts,
    hasChanges: events.steps.some(({ op }) => isChange(op)),
    display: job.redact(renderSteps(events.steps, counts)),
    savedPlan: saves ? await readPlan(context) : null,
  };
}

async function readPlan({ job, files }: PulumiContext): Promise<string> {
  const text = await readJobText(files.plan, job.directories.owner, mostPlanBytes + 1);
  if (text === "") {
    throw pulumiFailure("pulumi has saved no plan, though its preview succeeded.", {
      class: "pulumi_failed",
    });
  }
  return text;
}
