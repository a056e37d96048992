import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { installs } from "./install.ts";
import { instantInput } from "./instant.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { runnerGroupSchema } from "./runner.ts";

const { params } = installs;
const tags = ["Installs"];
const path = "/v1/installs/{install_id}";
const reading = { surface: "control-plane", permission: "installs.read" } as const;

export const installReadmeSchema = z
  .object({
    readme: z.string().describe("Markdown; empty where the app's config has none."),
    app_config_id: z.string().nullable().describe("The config that it is of."),
    warnings: z
      .array(
        z.object({
          code: z.string(),
          line: z.int().describe("In the config's text, from 1."),
          path: z.string().nullable().describe("What is missing."),
          detail: z.string(),
        }),
      )
      .describe("What could not be rendered; that is left out of the text."),
  })
  .openapi("InstallReadme");
export type InstallReadme = z.infer<typeof installReadmeSchema>;

export const getInstallReadmeRoute = createRoute({
  operationId: "getInstallReadme",
  rule: { ...reading, ownPermit: true },
  method: "get",
  path: `${path}/readme`,
  tags,
  summary: "Read the app's readme, rendered with what is known of an install",
  description:
    "Of the config that the install has, else of the app's active one. Sensitive values are hidden.",
  request: { params },
  responses: {
    200: json(installReadmeSchema, "The readme."),
    206: json(installReadmeSchema, "The readme, without what could not be rendered."),
  },
});

export const installAuditLogSchema = z
  .object({
    id: z.string(),
    install_id: z.string(),
    type: z.string().describe("The operation of the API."),
    log_line: z.string().describe("Who did what, and what came of it."),
    time_stamp: z.iso.datetime(),
  })
  .openapi("InstallAuditLog");
export type InstallAuditLog = z.infer<typeof installAuditLogSchema>;

export const listInstallAuditLogsRoute = createRoute({
  operationId: "listInstallAuditLogs",
  rule: reading,
  method: "get",
  path: `${path}/audit_logs`,
  tags,
  summary: "List what people and programs did to an install and its workflows",
  description: `What the audit log has of the install, what belongs to it, and its latest 1,000 workflows; kept as long as that. ${listingDescription}`,
  request: {
    params,
    query: z.object({
      ...listingQuery,
      start: instantInput.optional().describe("From this instant on."),
      end: instantInput.optional().describe("Before this instant."),
    }),
  },
  responses: { 200: json(listingOf(installAuditLogSchema), "What was done.") },
});

export const getRunnerGroupOfInstallRoute = createRoute({
  operationId: "getRunnerGroupOfInstall",
  rule: reading,
  method: "get",
  path: `${path}/runner-group`,
  tags,
  summary: "Read the runner group of an install",
  request: { params },
  responses: { 200: json(runnerGroupSchema, "The group with its settings and runners.") },
});

const driftedObjectSchema = z
  .object({
    target_type: z.string(),
    target_id: z.string(),
    install_workflow_id: z.string(),
    component_name: z.string(),
    install_component_id: z.string().optional(),
    install_sandbox_id: z.string().optional(),
  })
  .openapi("DriftedObject");

export const listDriftedObjectsRoute = createRoute({
  operationId: "listDriftedObjects",
  rule: reading,
  method: "get",
  path: `${path}/drifted-objects`,
  tags,
  summary: "List what has drifted in an install",
  description: "Of components and sandboxes. This version has neither: the list is empty.",
  request: { params },
  responses: { 200: json(z.array(driftedObjectSchema), "What differs.") },
});

export const generateCliInstallConfigRoute = createRoute({
  operationId: "generateCliInstallConfig",
  rule: reading,
  method: "get",
  path: `${path}/generate-cli-install-config`,
  tags,
  summary: "Get an install as a file of its app's config",
  description:
    "TOML, as a file in `installs/` has it. Sensitive inputs are named in a comment, without their values.",
  request: { params },
  responses: {
    200: { description: "The file.", content: { "text/plain": { schema: z.string() } } },
  },
});
