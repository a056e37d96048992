import { z } from "zod";

const id = z.string().nullish();
const withCharts = z.looseObject({
  helm: z.looseObject({ helm_chart_id: id }).nullish(),
  helm_chart_id: id,
});

/** The helm chart that a plan keeps its releases in, in `helm` or the plan itself; undefined for a plan that names none. */
export function planChart(plan: unknown): string | undefined {
  const { success, data } = withCharts.safeParse(plan);
  return success ? ((data.helm ?? data).helm_chart_id ?? undefined) : undefined;
}
