import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { installComponentSchema } from "./install-components.ts";
import { installDeploys } from "./install-deploys.ts";
import { workflowResponseSchema } from "./install.ts";
import { json } from "./response.ts";

const tags = ["Deploys"];
const install = "/v1/installs/{install_id}";
const base = `${install}/components` as const;
const path = `${base}/{component_id}` as const;
const operating = {
  surface: "control-plane",
  permission: "installs.operate",
  idempotent: "replay",
} as const;
const destroying = {
  surface: "control-plane",
  permission: "installs.destroy",
  idempotent: "replay",
} as const;

const how = {
  role: z.string().max(255).default(""),
  plan_only: z
    .boolean()
    .default(false)
    .describe("Changes nothing: it is planned, and does not wait for other changes."),
};
const force = z
  .boolean()
  .default(false)
  .describe("Also while components are deployed that need it.");
const buildId = z.string().max(64);
const newDeploy = {
  ...how,
  type: z
    .enum(["apply", "recover"])
    .default("apply")
    .describe("`recover`: what is deployed is planned again after a failure."),
  deploy_dependents: z.boolean().default(false).describe("Also what needs it, where that changes."),
  deploy_dependencies: z
    .boolean()
    .default(false)
    .describe("First what it needs, where that changes."),
};
const begun = json(workflowResponseSchema, "The workflow.");
const deploy = json(installDeploys.itemSchema, "The deploy, with its workflow.");
const refused =
  "404 `component_not_found` where the install's config has it not, 409 `component_disabled` where it is switched off, `build_not_active` for a build that has no artifact (any more). ";

export const createDeployOfComponentRoute = createRoute("createInstallComponentDeploy", {
  post: `${path}/deploys`,
  rule: operating,
  tags,
  summary: "Deploy a component of an install",
  description: `${refused}422 at \`build_id\` for one of another component.`,
  body: z
    .strictObject({
      build_id: buildId
        .optional()
        .describe("Any active build of the component; the newest of its config unless given."),
      ...newDeploy,
    })
    .openapi("CreateInstallComponentDeployRequest"),
  responses: { 201: deploy },
});

export const createDeployRoute = createRoute("createInstallDeploy", {
  post: `${install}/deploys`,
  rule: operating,
  tags,
  summary: "Deploy a build in an install",
  description: `${refused}422 at \`build_id\` for one of no component of the app.`,
  body: z
    .strictObject({ build_id: buildId.describe("An active build."), ...newDeploy })
    .openapi("CreateInstallDeployRequest"),
  responses: { 201: deploy },
});

export const deployComponentsRoute = createRoute("deployInstallComponents", {
  post: `${base}/deploy-all`,
  rule: operating,
  tags,
  summary: "Deploy all components of an install",
  description: "409 `no_components` where its config has none.",
  body: z.strictObject(how).openapi("DeployInstallComponentsRequest"),
  responses: { 201: begun },
});

export const teardownComponentsRoute = createRoute("teardownInstallComponents", {
  post: `${base}/teardown-all`,
  rule: destroying,
  tags,
  summary: "Tear down all components of an install",
  description: "409 `no_components` where none is deployed or was.",
  body: z.strictObject(how).openapi("TeardownInstallComponentsRequest"),
  responses: { 201: begun },
});

const inUse =
  "409 `component_in_use`, with their names, while components are deployed that need it.";

export const teardownComponentRoute = createRoute("teardownInstallComponent", {
  post: `${path}/teardown`,
  rule: { ...operating, ownPermit: true },
  tags,
  summary: "Tear down a component of an install",
  description: inUse,
  body: z.strictObject({ ...how, force }).openapi("TeardownInstallComponentRequest"),
  responses: { 201: begun },
});

export const toggleComponentRoute = createRoute("toggleInstallComponent", {
  post: `${path}/toggle`,
  rule: { ...operating, ownPermit: true },
  tags,
  summary: "Switch a component of an install on or off",
  description: `It is deployed, or torn down, and the install's config says so from now on; with \`plan_only\` it is only planned. 409 \`not_toggleable\` where the app's config has it in every install. Off: ${inUse}`,
  body: z
    .strictObject({ enabled: z.boolean(), ...how, force })
    .openapi("ToggleInstallComponentRequest"),
  responses: { 201: begun },
});

export const forgetComponentRoute = createRoute("forgetInstallComponent", {
  post: `${path}/forget`,
  rule: { surface: "control-plane", permission: "installs.destroy" },
  tags,
  summary: "Take a component as torn down",
  description:
    "What is there of it stays, and nobody looks after it. 409 `workflow_open` while a workflow of the install is open.",
  body: z.strictObject({}),
  responses: { 200: json(installComponentSchema, "The component.") },
});

const notBegun =
  "409 `never_provisioned` for an install that was never provisioned, `no_sandbox` where its config has none.";

export const deprovisionSandboxRoute = createRoute("deprovisionInstallSandbox", {
  post: `${install}/deprovision-sandbox`,
  rule: destroying,
  tags,
  summary: "Deprovision the sandbox of an install",
  description: `409 \`components_deployed\`, with their names, while components are deployed. ${notBegun}`,
  body: z.strictObject(how).openapi("DeprovisionInstallSandboxRequest"),
  responses: { 201: begun },
});

export const reprovisionSandboxRoute = createRoute("reprovisionInstallSandbox", {
  post: `${install}/reprovision-sandbox`,
  rule: operating,
  tags,
  summary: "Reprovision the sandbox of an install",
  description: notBegun,
  body: z
    .strictObject({
      ...how,
      skip_components: z
        .boolean()
        .default(false)
        .describe("Its components are not deployed after it."),
    })
    .openapi("ReprovisionInstallSandboxRequest"),
  responses: { 201: begun },
});
