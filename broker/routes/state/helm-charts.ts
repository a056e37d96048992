import {
  createHelmChartRoute,
  getHelmChartRoute,
  getHelmReleaseRoute,
  listHelmChartsRoute,
  listHelmReleasesRoute,
} from "../../../shared/api/helm-charts.ts";
import { problem } from "../../../shared/problem.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { createChart } from "../../helm-releases/create-chart.ts";
import {
  findRelease,
  listCharts,
  listReleases,
  listReleasesOf,
} from "../../helm-releases/queries.ts";
import { requireChartAccess } from "../../helm-releases/require-chart-access.ts";
import { toHelmChart, toHelmRelease } from "../../helm-releases/to-helm-release.ts";
import { answerList, splitQuery } from "../../http/answer/answer-list.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** POST, GET /v1/helm-charts; GET …/{chart_id}; GET /v1/helm-releases, …/{release_id} */
export const helmCharts: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createHelmChartRoute, async ({ actor, body }) => {
    const row = await createChart(db, actor, body);
    return toHelmChart(row, []);
  });
  app.handle(listHelmChartsRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    return await answerList(c, page, {
      filters,
      read: (request: ListRequest) =>
        listCharts(db, orgId, { ...request, ownerId: filters.owner_id, bound }),
      toItems: async (rows) => {
        const ids = rows.map(({ id }) => id);
        const releases = await listReleasesOf(db, orgId, ids);
        return rows.map((row) => toHelmChart(row, releases));
      },
    });
  });
  app.handle(getHelmChartRoute, async ({ actor, params: { chart_id: chartId } }) => {
    const row = await requireChartAccess(broker, actor, chartId);
    return toHelmChart(row, await listReleasesOf(db, actor.orgId, [row.id]));
  });
  app.handle(listHelmReleasesRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const [page, filters] = splitQuery(query);
    return await answerList(c, page, {
      filters,
      read: (request: ListRequest) => listReleases(db, orgId, { ...filters, bound }, request),
      toItem: toHelmRelease,
    });
  });
  app.handle(getHelmReleaseRoute, async ({ orgId, params }) => {
    const row = await findRelease(db, orgId, params.release_id);
    if (row === undefined) throw problem.notFound("release");
    return toHelmRelease(row);
  });
};
