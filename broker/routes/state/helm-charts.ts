import {
  createHelmChartRoute,
  getHelmChartRoute,
  getHelmReleaseRoute,
  listHelmChartsRoute,
  listHelmReleasesRoute,
} from "../../../shared/api/helm-charts.ts";
import { problem } from "../../../shared/problem.ts";
import { createChart } from "../../helm-releases/create-chart.ts";
import {
  findRelease,
  listCharts,
  listReleases,
  listReleasesOf,
} from "../../helm-releases/queries.ts";
import { requireChartAccess } from "../../helm-releases/require-chart-access.ts";
import { toHelmChart, toHelmRelease } from "../../helm-releases/to-helm-release.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";

/** POST, GET /v1/helm-charts; GET …/{chart_id}; GET /v1/helm-releases, …/{release_id} */
export const helmCharts: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(createHelmChartRoute, async ({ actor, body }) => {
    const row = await createChart(db, actor, body);
    return toHelmChart(row, []);
  });
  app.handle(listHelmChartsRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const { cursor, limit, ...filters } = query;
    const page = readPage({ cursor, limit }, filters);
    const rows = await listCharts(db, orgId, { ...page, ownerId: filters.owner_id, bound });
    const ids = rows.map(({ id }) => id);
    const releases = await listReleasesOf(db, orgId, ids);
    const toItem = (row: (typeof rows)[number]) => toHelmChart(row, releases);
    return toPage(c, rows, { limit, filters, toItem });
  });
  app.handle(getHelmChartRoute, async ({ actor, params: { chart_id: chartId } }) => {
    const row = await requireChartAccess(broker, actor, chartId);
    return toHelmChart(row, await listReleasesOf(db, actor.orgId, [row.id]));
  });
  app.handle(listHelmReleasesRoute, async ({ c, actor: { orgId, bound }, query }) => {
    const { cursor, limit, ...filters } = query;
    const page = readPage({ cursor, limit }, filters);
    const rows = await listReleases(db, orgId, { ...filters, bound }, page);
    return toPage(c, rows, { limit, filters, toItem: toHelmRelease });
  });
  app.handle(getHelmReleaseRoute, async ({ orgId, params }) => {
    const row = await findRelease(db, orgId, params.release_id);
    if (row === undefined) throw problem.notFound("release");
    return toHelmRelease(row);
  });
};
