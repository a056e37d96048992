import { fetchSource } from "../../sources/fetch-source.ts";
import type { Source } from "../../sources/source.ts";
import { type ActionStep, stepTitle } from "./action-steps.ts";
import type { StepContext } from "./step-context.ts";

/** Fetches a step's source, within the step's timeout; steps with the same source share one copy. */
export async function fetchStepSource(
  { job, run, env }: StepContext,
  step: ActionStep,
  source: Source,
): Promise<{ readonly folder: string; readonly tookMs: number }> {
  const wanted = JSON.stringify(source);
  const first = run.steps.find((other) => JSON.stringify(other.source) === wanted) ?? step;
  const { folder, tookMs } = await fetchSource(job, source, {
    name: `${first.index + 1}`,
    key: `${first.index}/source`,
    step: step.name,
    title: stepTitle(step),
    env: env({}),
    timeoutMs: step.timeoutMs,
    isCleanup: step.isAlways,
  });
  return { folder, tookMs: first.index === step.index ? tookMs : 0 };
}
