import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Access"];

export const getCliConfigRoute = createRoute("getCliConfig", {
  get: "/v1/general/cli-config",
  rule: { surface: "open", permission: null },
  tags,
  summary: "Get what a command line has to know of this service before it has a token",
  responses: {
    200: json(
      z
        .object({
          dashboard_url: z.string().describe("Empty where SVC_PUBLIC_URL is not set."),
          root_domain: z.string().describe("The host of that URL."),
          auth_domain: z
            .string()
            .describe(
              "Empty, as are the next two: a command line signs in with a token that it is given.",
            ),
          auth_client_id: z.string(),
          auth_audience: z.string(),
          svc_auth_enabled: z.boolean().describe("Whether command lines can sign people in."),
          oidc_federation_enabled: z
            .boolean()
            .describe("Whether tokens of other issuers can be exchanged for this service's."),
        })
        .openapi("CLIConfig"),
      "What it has to know.",
    ),
  },
});

export const listCloudRegionsRoute = createRoute("listCloudRegions", {
  get: "/v1/general/cloud-platform/{cloud_platform}/regions",
  rule: { surface: "operator", permission: "orgs.read", bound: true },
  tags,
  summary: "List the regions of a cloud",
  description: "Of `aws`, `azure` or `gcp`; 404 for any other.",
  params: z.object({
    cloud_platform: z.string().max(64).openapi({ example: "aws", description: "The cloud." }),
  }),
  responses: {
    200: json(
      z.array(
        z
          .object({
            name: z.string(),
            value: z.string().describe("The word that the cloud's API takes."),
            display_name: z.string(),
            icon: z.string().describe("Empty: there is none."),
          })
          .openapi("CloudPlatformRegion"),
      ),
      "Its regions.",
    ),
  },
});
