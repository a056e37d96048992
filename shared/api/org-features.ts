import { z } from "@hono/zod-openapi";
import { orgFeatureNames } from "../org-features.ts";
import { createRoute } from "./create-route.ts";
import { orgSchema } from "./orgs.ts";
import { json } from "./response.ts";
import { runnerGroupSchema } from "./runner.ts";

const tags = ["Access"];

export const listOrgFeaturesRoute = createRoute("listOrgFeatures", {
  get: "/v1/orgs/features",
  rule: { surface: "operator", permission: "orgs.read", bound: true },
  tags,
  summary: "List what can be switched on in an org",
  responses: {
    200: json(
      z.array(z.object({ name: z.string(), description: z.string() }).openapi("OrgFeatureInfo")),
      "The features.",
    ),
  },
});

export const getOrgFeaturesRoute = createRoute("getOrgFeatures", {
  get: "/v1/orgs/current/features",
  rule: { surface: "operator", permission: "orgs.read" },
  tags,
  summary: "Get which features are on in this org",
  responses: { 200: json(z.record(z.string(), z.boolean()), "Each feature, by its name.") },
});

const featuresBody = z
  .strictObject({
    features: z
      .partialRecord(z.enum(orgFeatureNames), z.boolean())
      .describe("Features that are left out stay."),
  })
  .openapi("UpdateOrgFeatures", { example: { features: { prevent_self_approval: true } } });

export const updateOrgFeaturesRoute = createRoute("updateOrgFeatures", {
  patch: "/v1/orgs/current/features",
  rule: { surface: "operator", permission: "orgs.write" },
  tags,
  summary: "Switch features of this org on or off",
  body: featuresBody,
  responses: { 200: json(orgSchema, "The org after the change.") },
});

export const getOrgStatsRoute = createRoute("getOrgStats", {
  get: "/v1/orgs/current/stats",
  rule: { surface: "operator", permission: "orgs.read" },
  tags,
  summary: "Get the org, with how much it has",
  responses: {
    200: json(
      orgSchema.extend({ app_count: z.int(), install_count: z.int() }).openapi("OrgStats"),
      "The org.",
    ),
  },
});

export const getOrgRunnerGroupRoute = createRoute("getOrgRunnerGroup", {
  get: "/v1/orgs/current/runner-group",
  rule: { surface: "operator", permission: "runners.read" },
  tags,
  summary: "Get the runner group of the org itself",
  description: "The oldest of type `org`; 404 where there is none.",
  responses: { 200: json(runnerGroupSchema, "The group, with its settings and runners.") },
});
