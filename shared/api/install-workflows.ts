import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { workflowResponseSchema } from "./install.ts";
import { json } from "./response.ts";

const tags = ["Installs"];
const path = "/v1/installs/{install_id}";
const operating = { surface: "control-plane", permission: "installs.operate" } as const;
const destroying = { surface: "control-plane", permission: "installs.destroy" } as const;

const planOnly = z
  .boolean()
  .default(false)
  .describe("Changes nothing: actions are left out, and it does not wait for other changes.");
const begun = z
  .strictObject({ role: z.string().max(255).default(""), plan_only: planOnly })
  .openapi("NewInstallWorkflow");

export const reprovisionInstallRoute = createRoute("reprovisionInstall", {
  post: `${path}/reprovision`,
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Reprovision an install",
  description: "One that was never provisioned is provisioned.",
  body: begun,
  responses: { 201: json(workflowResponseSchema, "The workflow.") },
});

export const deprovisionInstallRoute = createRoute("deprovisionInstall", {
  post: `${path}/deprovision`,
  rule: { ...destroying, idempotent: "replay" },
  tags,
  summary: "Deprovision an install",
  description: "409 `never_provisioned` for one that was never provisioned.",
  body: begun,
  responses: { 201: json(workflowResponseSchema, "The workflow.") },
});

export const updateInstallConfigRoute = createRoute("updateInstallAppConfig", {
  post: `${path}/app-config-updates`,
  rule: { ...operating, idempotent: "replay" },
  tags,
  summary: "Update an install to a config of its app",
  description: "409 `config_not_active` for a config that is not active and never was.",
  body: z.strictObject({ app_config_id: z.string().max(64), plan_only: planOnly }),
  responses: { 201: json(workflowResponseSchema, "The workflow.") },
});
