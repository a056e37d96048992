import { z } from "zod";

const withCharts = z.looseObject({
  helm: z.looseObject({ helm_chart_id: z.string().nullish() }).nullish(),
});

/** The helm chart that a plan keeps its releases in; undefined for a plan that names none. */
export function planChart(planText: string): string | undefined {
  const { success, data: plan } = withCharts.safeParse(JSON.parse(planText));
  return success ? (plan.helm?.helm_chart_id ?? undefined) : undefined;
}
