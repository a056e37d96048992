import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";

const tags = ["Helm releases"];
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

export const createHelmChartRoute = createRoute("createHelmChart", {
  post: "/v1/helm-charts",
  rule: { surface: "control-plane", permission: "jobs.write", idempotent: "replay", bound: true },
  tags,
  summary: "Create a chart: a place for Helm releases",
  description: "A plan names it in `helm.helm_chart_id`; its job then keeps helm's records here.",
  body: z.strictObject({
    owner_id: owner.owner_id.default(""),
    owner_type: owner.owner_type.default(""),
  }),
  responses: { 201: json(helmChartSchema, "The chart.") },
});

export const listHelmChartsRoute = createRoute("listHelmCharts", {
  get: "/v1/helm-charts",
  rule: { surface: "operator", permission: "state.read", bound: true },
  tags,
  summary: "List charts",
  description: "Newest first.",
  query: z.object({
    owner_id: owner.owner_id.optional().describe("Only charts of this owner."),
    ...pageQuery,
  }),
  responses: { 200: json(pageOrArrayOf(helmChartSchema), "A page of charts.") },
});

export const getHelmChartRoute = createRoute("getHelmChart", {
  get: "/v1/helm-charts/{chart_id}",
  rule: { surface: "operator", permission: "state.read" },
  tags,
  summary: "Read a chart",
  responses: { 200: json(helmChartSchema, "The chart.") },
});

export const listHelmReleasesRoute = createRoute("listHelmReleases", {
  get: "/v1/helm-releases",
  rule: { surface: "operator", permission: "state.read", bound: true },
  tags,
  summary: "List helm releases",
  description: "Without helm's records themselves, the newest first.",
  query: z.object({
    chart_id: z.string().max(64).optional().describe("Only releases in this chart."),
    name: z.string().max(250).optional().describe("Exactly this name."),
    namespace: z.string().max(250).optional().describe("Only releases in this namespace."),
    status: z.string().max(60).optional().describe("Only those in this status, in helm's words."),
    ...pageQuery,
  }),
  responses: { 200: json(pageOrArrayOf(helmReleaseSchema), "A page of releases.") },
});

export const getHelmReleaseRoute = createRoute("getHelmRelease", {
  get: "/v1/helm-releases/{release_id}",
  rule: { surface: "operator", permission: "state.read" },
  tags,
  summary: "Read a helm release",
  description: "Without helm's record itself.",
  responses: { 200: json(helmReleaseSchema, "The release.") },
});
