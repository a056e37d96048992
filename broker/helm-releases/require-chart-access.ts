import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { namingJobs } from "../plan-scope/jobs-in-scope.ts";
import { requireOwnState } from "../plan-scope/require-own-state.ts";
import type { Actor } from "../tokens/actor.ts";
import { findChart } from "./queries.ts";
import type { HelmChartRow } from "./row.ts";

/**
 * The chart; 404 for one that is not there and, for a runner's or a job's token, for one that no plan of its own
 * jobs names: those that run, are being stopped, or ended in the last ten minutes; 403 for one of an install whose own runner this is not.
 */
export async function requireChartAccess(
  broker: Pick<Broker, "db" | "seals" | "largeReads" | "bodies">,
  actor: Actor,
  chartId: string,
): Promise<HelmChartRow> {
  const chart = await findChart(broker.db, actor.orgId, chartId);
  if (chart === undefined) throw problem.notFound("chart");
  if (actor.runnerId === null) return chart;
  for await (const { facts } of namingJobs(broker, actor, { name: chartId })) {
    if (facts.chartId !== chartId) continue;
    await requireOwnState(broker.db, actor.orgId, { runnerId: actor.runnerId, names: [chartId] });
    return chart;
  }
  throw problem.notFound("chart");
}
