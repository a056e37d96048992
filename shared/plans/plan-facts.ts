import type { RunnerJobType } from "../runner-job-types.ts";
import { planChart } from "./plan-chart.ts";
import { isId } from "./plan-names.ts";
import { type PlanWorkspaces, planWorkspaces } from "./plan-workspaces.ts";

/** What a plan lets its job's runner reach while terraform and helm work. */
export type PlanFacts = PlanWorkspaces & { readonly chartId: string | undefined };

/** The facts of a plan, by its text: small, however large it is, for they are kept while it is asked for. */
export function planFacts(text: string, type: RunnerJobType): PlanFacts {
  const plan = JSON.parse(text) as object; // the broker takes no other
  const { ids, pulumiIds, isSandbox } = planWorkspaces(plan, type);
  const chartId = planChart(plan);
  return {
    ids: ids.filter(isId),
    pulumiIds: pulumiIds.filter(isId),
    isSandbox,
    chartId: chartId !== undefined && isId(chartId) ? chartId : undefined,
  };
}
