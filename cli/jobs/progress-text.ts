import type { ExecutionProgress } from "../../shared/api/execution-progress.ts";

const mostNamed = 5;

/** How far an execution is: how many of its steps are done, which are under way, and which failed. */
export function progressText({ steps, is_full: isFull }: ExecutionProgress): string {
  const ended = steps.filter(({ ended_at: at }) => at !== null).length;
  const named = (status: string, words: string): string[] => {
    const names = steps.flatMap((step) => (step.status === status ? [step.name] : []));
    if (names.length === 0) return [];
    const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
    return [`${words}: ${names.slice(0, mostNamed).join(", ")}${more}`];
  };
  return [
    `${ended} of ${steps.length}${isFull ? " or more" : ""} steps ended`,
    ...named("in-progress", "under way"),
    ...named("error", "failed"),
    ...named("timed-out", "took too long"),
  ].join("\n");
}
