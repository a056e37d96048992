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
  app.openapi(createHelmChartRoute, async (c) => {
    const row = await createChart(db, c.get("actor"), c.req.valid("json"));
    return c.json(toHelmChart(row, []), 201);
  });
  app.openapi(listHelmChartsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const { orgId, bound } = c.get("actor");
    const rows = await listCharts(db, orgId, { ...page, ownerId: filters.owner_id, bound });
    const ids = rows.map(({ id }) => id);
    const releases = await listReleasesOf(db, orgId, ids);
    const toItem = (row: (typeof rows)[number]) => toHelmChart(row, releases);
    return c.json(toPage(c, rows, { limit, filters, toItem }), 200);
  });
  app.openapi(getHelmChartRoute, async (c) => {
    const { chart_id: chartId } = c.req.valid("param");
    const actor = c.get("actor");
    const row = await requireChartAccess(broker, actor, chartId);
    return c.json(toHelmChart(row, await listReleasesOf(db, actor.orgId, [row.id])), 200);
  });
  app.openapi(listHelmReleasesRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const { orgId, bound } = c.get("actor");
    const rows = await listReleases(db, orgId, { ...filters, bound }, page);
    return c.json(toPage(c, rows, { limit, filters, toItem: toHelmRelease }), 200);
  });
  app.openapi(getHelmReleaseRoute, async (c) => {
    const row = await findRelease(db, c.get("actor").orgId, c.req.valid("param").release_id);
    if (row === undefined) throw problem.notFound("release");
    return c.json(toHelmRelease(row), 200);
  });
};
