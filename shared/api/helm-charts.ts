import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { pageOf, pageQuery } from "./page.ts";
import { json, jsonBody } from "./response.ts";

const tags = ["Helm releases"];
const params = z.object({ chart_id: idParam("chart_id", "hch") });
const owner = { owner_id: z.string().max(200), owner_type: z.string().max(200) };

export const helmReleaseSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    helmChartID: z.string(),
    key: z.string().describe("What helm calls the record."),
    name: z.string().describe("The release."),
    namespace: z.string(),
    owner: z.literal("helm"),
    status: z.string().describe("`info.status` of the record."),
    type: z.literal("helm.sh/release.v1"),
    version: z.int().describe("The release's revision."),
    labels: z.record(z.string(), z.string()),
    size_bytes: z.int(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .openapi("HelmRelease");
export type HelmRelease = z.infer<typeof helmReleaseSchema>;

export const helmChartSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    owner_id: z.string(),
    owner_type: z.string(),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    helmReleases: z.array(helmReleaseSchema).describe("The newest hundred."),
  })
  .openapi("HelmChart");
export type HelmChart = z.infer<typeof helmChartSchema>;

export const createHelmChartRoute = createRoute({
  operationId: "createHelmChart",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "replay", bound: true },
  method: "post",
  path: "/v1/helm-charts",
  tags,
  summary: "Create a chart: a place for Helm releases",
  description: "A plan names it in `helm.helm_chart_id`; its job then keeps helm's records here.",
  request: {
    body: jsonBody(
      z.strictObject({
        owner_id: owner.owner_id.default(""),
        owner_type: owner.owner_type.default(""),
      }),
    ),
  },
  responses: { 201: json(helmChartSchema, "The chart.") },
});

export const listHelmChartsRoute = createRoute({
  operationId: "listHelmCharts",
  rule: { surface: "operator", permission: "state.read", bound: true },
  method: "get",
  path: "/v1/helm-charts",
  tags,
  summary: "List charts",
  description: "Newest first.",
  request: {
    query: z.object({
      owner_id: owner.owner_id.optional().describe("Only charts of this owner."),
      ...pageQuery,
    }),
  },
  responses: { 200: json(pageOf(helmChartSchema), "A page of charts.") },
});

export const getHelmChartRoute = createRoute({
  operationId: "getHelmChart",
  rule: { surface: "operator", permission: "state.read" },
  method: "get",
  path: "/v1/helm-charts/{chart_id}",
  tags,
  summary: "Read a chart",
  request: { params },
  responses: { 200: json(helmChartSchema, "The chart.") },
});

export const listHelmReleasesRoute = createRoute({
  operationId: "listHelmReleases",
  rule: { surface: "operator", permission: "state.read", bound: true },
  method: "get",
  path: "/v1/helm-releases",
  tags,
  summary: "List helm releases",
  description: "Without helm's records themselves, the newest first.",
  request: {
    query: z.object({
      chart_id: z.string().max(64).optional().describe("Only releases in this chart."),
      name: z.string().max(250).optional().describe("Exactly this name."),
      namespace: z.string().max(250).optional().describe("Only releases in this namespace."),
      status: z.string().max(60).optional().describe("Only those in this status, in helm's words."),
      ...pageQuery,
    }),
  },
  responses: { 200: json(pageOf(helmReleaseSchema), "A page of releases.") },
});

export const getHelmReleaseRoute = createRoute({
  operationId: "getHelmRelease",
  rule: { surface: "operator", permission: "state.read" },
  method: "get",
  path: "/v1/helm-releases/{release_id}",
  tags,
  summary: "Read a helm release",
  description: "Without helm's record itself.",
  request: { params: z.object({ release_id: idParam("release_id", "hrl") }) },
  responses: { 200: json(helmReleaseSchema, "The release.") },
});
