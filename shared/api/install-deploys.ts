import { z } from "@hono/zod-openapi";
import { componentTypes } from "../component-types.ts";
import { deployStatuses, sandboxRunTypes, shownDeployTypes } from "../deploy-statuses.ts";
import { deployWords } from "../deploy-words.ts";
import { created, is } from "../resources/filters.ts";
import {
  flag,
  instant,
  int,
  json as stored,
  made,
  orNull,
  owned,
  text,
  word,
} from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { componentBuilds } from "./builds.ts";
import { compositeFaultSchema } from "./composite-fault.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { partRecords } from "./part-records.ts";
import { policyReports } from "./policy-reports.ts";
import { workOfDeploy } from "./whole-work.ts";

const changes = z
  .object({ added: z.int(), changed: z.int(), replaced: z.int(), removed: z.int() })
  .partial()
  .openapi("DeployChanges");
const artifact = z
  .object({
    repository: z.string(),
    tag: z.string(),
    digest: z.string(),
    media_type: z.string(),
  })
  .openapi("DeployedArtifact")
  .optional();

const ofEach = {
  status: word(deployWords),
  status_description: text(),
  status_v2: stored(compositeStatusSchema),
  composite_error: stored(compositeFaultSchema.optional()),
  plan_only: flag("It changes nothing: its plan is all that is wanted."),
  role: text("Of the operation; empty: the runner's own."),
  app_config_id: text("The config by which it is planned; empty before it is."),
  build_id: text("Empty before it is known, and of what needs none."),
  oci_artifact: stored(artifact, "What of the build is deployed; left out before it is known."),
  changes: stored(changes, "How many objects its plan changes; empty before it is planned."),
  policy_reports: stored(
    z.array(policyReports.itemSchema),
    "What policies said of its plans, with the first five messages each.",
  ),
  workflow_id: text(),
  install_workflow_id: text("The same."),
  workflow_step_id: orNull(text()),
  plan_job_id: orNull(text()),
  apply_job_id: orNull(text()),
  log_stream_id: orNull(text(), "Of the job that changed something, else of that which planned."),
  planned_at: orNull(instant()),
  applied_at: orNull(instant()),
  started_at: orNull(instant()),
  finished_at: orNull(instant()),
  created_at: made.created_at,
  updated_at: instant("When its status changed last."),
  created_by_id: made.created_by_id,
} as const;

const status = is("status", z.enum(deployStatuses).optional().describe("Of this `status_v2`."));
export const installDeploys = resource({
  noun: "deploy",
  plural: "deploys",
  schema: "InstallDeploy",
  tag: "Deploys",
  prefix: "dep",
  param: "deploy_id",
  path: "/v1/installs/{install_id}/deploys",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: ["list"],
  bound: "path",
  says: { list: "List the deploys of an install's components" },
  members: {
    ...owned,
    install_id: text(),
    install_component_id: text(),
    component_id: text(),
    component_name: text("That it had in the config."),
    component_type: word(componentTypes),
    component_config_version: int("Which of the component's configs is deployed, from 1; 0: none."),
    install_deploy_type: word(shownDeployTypes),
    is_recovery: flag("An `apply` that plans what is deployed again after a failure."),
    ...ofEach,
  },
  filters: {
    ...created,
    component_id: is("component_id", z.string().max(64).optional().describe("Of this component.")),
    status,
  },
});
export type InstallDeploy = ItemOf<typeof installDeploys>;

const outputs = z
  .record(z.string(), z.unknown())
  .describe("By name, once it is applied. Sensitive ones stay with the runner.");

export const wholeDeploySchema = installDeploys.itemSchema
  .extend({
    ...workOfDeploy,
    outputs,
    component_build: componentBuilds.itemSchema
      .optional()
      .describe("Left out where it has none, or that is deleted."),
  })
  .openapi("WholeInstallDeploy");
export type WholeInstallDeploy = z.infer<typeof wholeDeploySchema>;

export const sandboxRunSchema = installDeploys.itemSchema
  .omit({
    install_component_id: true,
    component_id: true,
    component_name: true,
    component_type: true,
    component_config_version: true,
    install_deploy_type: true,
    is_recovery: true,
  })
  .extend({ install_sandbox_id: z.string(), run_type: z.enum(sandboxRunTypes) })
  .openapi("InstallSandboxRun");
export type InstallSandboxRun = z.infer<typeof sandboxRunSchema>;

export const wholeSandboxRunSchema = sandboxRunSchema
  .extend({
    ...workOfDeploy,
    app_sandbox_config: partRecords.sandbox.schema
      .optional()
      .describe(
        "By which it is planned; left out before that, and of answers to tokens that are bound to an install.",
      ),
    outputs,
  })
  .openapi("WholeInstallSandboxRun");
export type WholeInstallSandboxRun = z.infer<typeof wholeSandboxRunSchema>;
