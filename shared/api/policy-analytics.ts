import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { instantInput } from "./instant.ts";
import { policyRecord } from "./part-records.ts";
import { json } from "./response.ts";

/** By what figures of policies are told apart. */
export const policyDimensions = ["policy", "component", "install"] as const;
export type PolicyDimension = (typeof policyDimensions)[number];

/** The longest time that figures are counted over. */
export const mostAnalyticsDays = 366;

const asked = {
  start: instantInput
    .optional()
    .describe("Evaluated at this instant or later; by default 30 days before the end."),
  end: instantInput.optional().describe("Evaluated before this instant; by default now."),
  install_id: z.string().max(64).optional().describe("Of this install."),
  policy_id: z.string().max(64).optional().describe("Of this policy."),
};
export type PolicyAnalyticsQuery = {
  readonly [Name in keyof typeof asked]?: string | undefined;
};

const counts = {
  evaluations: z.int().describe("How often a policy was evaluated."),
  passes: z.int(),
  warns: z.int(),
  denies: z.int(),
};
const range = { start: z.iso.datetime(), end: z.iso.datetime() };

const summary = z
  .object({
    ...range,
    total_evaluations: z.int(),
    total_passes: z.int(),
    total_warns: z.int(),
    total_denies: z.int(),
    unique_policies: z.int(),
    unique_reports: z.int(),
  })
  .openapi("PolicyAnalyticsSummary");
export type PolicyAnalyticsSummary = z.output<typeof summary>;

const breakdown = z
  .object({
    ...range,
    dimension: z.enum(policyDimensions),
    entries: z.array(z.object({ key: z.string(), ...counts }).openapi("BreakdownEntry")),
  })
  .openapi("PolicyAnalyticsBreakdown");

const point = z
  .object({ labels: z.record(z.string(), z.string()), ...counts })
  .openapi("SeriesPoint");
const timeseries = z
  .object({
    ...range,
    interval: z.enum(["hour", "day"]),
    group_by: z.array(z.string()),
    buckets: z.array(
      z
        .object({ time: z.iso.datetime(), ...counts, series: z.array(point) })
        .openapi("TimeseriesBucket"),
    ),
  })
  .openapi("PolicyAnalyticsTimeseries");

const path = "/v1/apps/{app_id}/policy-analytics";
const common = {
  rule: { surface: "control-plane", permission: "apps.read" },
  tags: ["Policies"],
} as const;
const bounded = `At most ${mostAnalyticsDays} days. An evaluation that ended as an error counts as one, and as nothing else.`;

export const summarizePoliciesRoute = createRoute("getPolicyAnalyticsSummary", {
  get: `${path}/summary`,
  ...common,
  summary: "Count what an app's policies said",
  description: bounded,
  query: z.object(asked),
  responses: { 200: json(summary, "The counts.") },
});

export const breakDownPoliciesRoute = createRoute("getPolicyAnalyticsBreakdown", {
  get: `${path}/breakdown`,
  ...common,
  summary: "Count what an app's policies said, by policy, component or install",
  description: `Those that deny most come first. ${bounded}`,
  query: z.object({
    ...asked,
    dimension: z.enum(policyDimensions).default("policy").describe("By what they are told apart."),
    limit: z.coerce.number().int().min(1).max(100).default(50).describe("How many at most."),
  }),
  responses: { 200: json(breakdown, "The counts of each, by its name.") },
});

export const chartPoliciesRoute = createRoute("getPolicyAnalyticsTimeseries", {
  get: `${path}/timeseries`,
  ...common,
  summary: "Count what an app's policies said, over time",
  description: `By hours where it is at most two days, else by days. ${bounded}`,
  query: z.object({
    ...asked,
    group_by: z.enum(policyDimensions).optional().describe("Counts of each besides."),
  }),
  responses: { 200: json(timeseries, "A bucket for each time in which there was something.") },
});

export const getPolicyRoute = createRoute("getAppPolicyConfig", {
  get: "/v1/apps/{app_id}/policy-config/{policy_config_id}",
  ...common,
  summary: "Read a policy of the active config",
  description: "404 `policy_not_found` where the active config has it not.",
  responses: { 200: json(policyRecord.schema, "The policy.") },
});
