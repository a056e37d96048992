import { z } from "@hono/zod-openapi";
import { componentTypes } from "../component-types.ts";
import { componentSchema } from "./components.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { driftedObjects } from "./drifted-objects.ts";
import {
  installDeploys,
  sandboxRunSchema,
  wholeDeploySchema,
  wholeSandboxRunSchema,
} from "./install-deploys.ts";
import { labelsQuery } from "./label-keys.ts";
import { createdQuery, listingDescription, listingOf, listingQuery, partQuery } from "./listing.ts";
import { json } from "./response.ts";
import { someWords } from "./some-words.ts";
import { truth } from "./truth.ts";

const tags = ["Deploys"];
const install = "/v1/installs/{install_id}";
const base = `${install}/components` as const;
const path = `${base}/{component_id}` as const;
const reading = { surface: "control-plane", permission: "installs.read" } as const;

const place = {
  id: z.string(),
  org_id: z.string(),
  owner_id: z.string(),
  owner_type: z.string(),
  created_at: z.iso.datetime(),
  created_by_id: z.string(),
};

export const installComponentSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    install_id: z.string(),
    component_id: z.string(),
    component_name: z.string(),
    component_type: z
      .enum(componentTypes)
      .describe("By the install's config; `unknown`: that has it not."),
    component: componentSchema.optional().describe("Left out once it is deleted."),
    enabled: z.boolean().optional().describe("Of one that can be switched off; else left out."),
    synced: z.boolean().describe("The install's config has it."),
    status: z
      .string()
      .describe("That of its newest deploy which was to change something; empty: there was none."),
    status_description: z.string(),
    status_v2: compositeStatusSchema,
    deployed_id: z
      .string()
      .nullable()
      .describe("The deploy whose result stands; null: nothing of it is there."),
    latest_id: z.string().nullable().describe("The newest deploy."),
    install_deploys: z
      .array(installDeploys.itemSchema)
      .describe("These two, or the one that they are, the newest first."),
    drifted_object: driftedObjects.itemSchema
      .optional()
      .describe("Where the last look found a drift."),
    terraform_workspace: z
      .object({ ...place, updated_at: z.iso.datetime() })
      .openapi("InstallTerraformWorkspace"),
    helm_chart: z.object({ ...place, updated_at: z.iso.datetime() }).openapi("InstallHelmChart"),
    links: z.record(z.string(), z.unknown()),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    created_by_id: z.string(),
  })
  .openapi("InstallComponent");
export type InstallComponent = z.infer<typeof installComponentSchema>;

const one = json(wholeDeploySchema, "The deploy.");
const run = { 200: json(wholeSandboxRunSchema, "The run.") };

export const listInstallComponentsRoute = createRoute("listInstallComponents", {
  get: base,
  rule: reading,
  tags,
  summary: "List the components of an install",
  description: "By name, also those that its config has no more.",
  query: z.object({
    ...partQuery,
    q: z.string().max(255).optional().describe("A part of the component's name."),
    labels: labelsQuery.describe("Of the component."),
    types: someWords("Of which type"),
    synced: truth.optional().describe("Whether the install's config has it."),
  }),
  responses: { 200: json(z.array(installComponentSchema), "Components.") },
});

export const getInstallComponentRoute = createRoute("getInstallComponent", {
  get: path,
  rule: reading,
  tags,
  summary: "Read a component of an install",
  responses: { 200: json(installComponentSchema, "The component.") },
});

export const getInstallComponentOutputsRoute = createRoute("getInstallComponentOutputs", {
  get: `${path}/outputs`,
  rule: reading,
  tags,
  summary: "Read the outputs of what is deployed of a component",
  description: "Empty where nothing is. Sensitive outputs stay with the runner.",
  responses: { 200: json(z.record(z.string(), z.unknown()), "Outputs, by name.") },
});

export const listDeploysOfComponentRoute = createRoute("listInstallDeploysOfComponent", {
  get: `${path}/deploys`,
  rule: reading,
  tags,
  summary: "List the deploys of a component in an install",
  description: listingDescription,
  query: z.object({ ...listingQuery, status: installDeploys.filters.status.schema }),
  responses: { 200: json(listingOf(installDeploys.itemSchema), "Deploys.") },
});

export const getLatestDeployOfComponentRoute = createRoute("getLatestInstallDeployOfComponent", {
  get: `${path}/deploys/latest`,
  rule: reading,
  tags,
  summary: "Read the newest deploy of a component in an install",
  description: "404 `deploy_not_found` where it was never deployed.",
  responses: { 200: one },
});

export const getDeployOfComponentRoute = createRoute("getInstallDeployOfComponent", {
  get: `${path}/deploys/{deploy_id}`,
  rule: reading,
  tags,
  summary: "Read one of a component's deploys",
  responses: { 200: one },
});

export const getLatestDeployRoute = createRoute("getLatestInstallDeploy", {
  get: `${install}/deploys/latest`,
  rule: reading,
  tags,
  summary: "Read the newest deploy of an install",
  description: "404 `deploy_not_found` where nothing was ever deployed.",
  responses: { 200: one },
});

export const getDeployRoute = createRoute("getInstallDeploy", {
  get: `${install}/deploys/{deploy_id}`,
  rule: reading,
  tags,
  summary: "Read a deploy",
  responses: { 200: one },
});

export const listSandboxRunsRoute = createRoute("listInstallSandboxRuns", {
  get: `${install}/sandbox-runs`,
  rule: reading,
  tags,
  summary: "List the runs of an install's sandbox",
  description: listingDescription,
  query: z.object({
    ...listingQuery,
    ...createdQuery,
    status: installDeploys.filters.status.schema,
  }),
  responses: { 200: json(listingOf(sandboxRunSchema), "Runs.") },
});

export const getSandboxRunRoute = createRoute("getInstallSandboxRun", {
  get: `${install}/sandbox-runs/{sandbox_run_id}`,
  rule: reading,
  tags,
  summary: "Read a run of a sandbox",
  responses: run,
});

export const getSandboxRunByIdRoute = createRoute("getInstallSandboxRunById", {
  get: "/v1/installs/sandbox-runs/{sandbox_run_id}",
  rule: reading,
  tags,
  summary: "Read a run of the sandbox of whatever install",
  responses: run,
});
