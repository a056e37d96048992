import { z } from "zod";
import { actionTriggerTypes } from "../../action-triggers.ts";
import * as kind from "./kinds.ts";
import { filters, inputMembers, repoChoice } from "./shared-members.ts";

const [first, ...others] = actionTriggerTypes.filter((type) => type !== "adhoc");

const script = {
  command: kind.text("What the shell runs.").optional(),
  inline_contents: kind.fileText("A script, instead of a command.").optional(),
  env_vars: kind.env("Environment variables.").optional(),
};

const step = z.strictObject({
  name: kind.text("The step's name.", 255),
  ...script,
  ...repoChoice,
});

const trigger = z.strictObject({
  type: kind.oneOf("What begins a run.", [first ?? "manual", ...others]),
  index: kind.whole("Its place among actions with the same trigger.", [0, 10_000]).optional(),
  cron_schedule: kind.cron("cron: when, in UTC.").optional(),
  component_name: kind.name("Triggers of a component: which.").optional(),
});

export const action = z.strictObject({
  name: kind.name("The action's name."),
  labels: kind.labels("Its labels.").optional(),
  role: kind.renderedName("The role that it runs as.").optional(),
  break_glass_role_arn: kind.text("The role of emergencies that it runs as.", 2048).optional(),
  timeout: kind.duration("How long a run may take (default 5m).", ["1s", "1h"]).optional(),
  image: kind.text("A container image that its steps run in.", 1024).optional(),
  is_healthcheck: kind.flag("Whether its end says how healthy the install is.").optional(),
  approval: kind.flag("Whether somebody must approve each run.").optional(),
  enable_kube_config: kind
    .flag(
      "Whether it gets a kubeconfig; in an install of no cloud that of its runner, where its sandbox names no cluster.",
    )
    .optional(),
  kubernetes_context: kind.name("Of which context; the sandbox's unless told.").optional(),
  dependencies: kind
    .list("Components that it needs, besides those it refers to.", kind.name(""))
    .optional(),
  triggers: kind.list("What begins its runs; manual ones always may.", trigger, 50).optional(),
  steps: kind
    .list("What it does, one after the other.", step, 50)
    .min(1, { error: "must have at least one step" }),
});

export const runbookStepTypes = [
  "component_deploy",
  "deploy",
  "component_tear_down",
  "action",
  "sandbox_reprovision",
  "sandbox_deprovision",
  "wait_for_trigger",
] as const;

const runbookStep = z.strictObject({
  name: kind.text("The step's name.", 255),
  type: kind.oneOf("What it does; deploy is component_deploy.", runbookStepTypes),
  timeout: kind.duration("How long it may take.", ["1s", "24h"]).optional(),
  role: kind.renderedName("The role that it uses.").optional(),
  action: kind.name("action: which, if not one of its own.").optional(),
  ...script,
  component_name: kind.name("Steps of a component: which.").optional(),
  deploy_dependencies: kind.flag("Deploys what it depends on, too.").optional(),
  deploy_dependents: kind.flag("Deploys what depends on it, too.").optional(),
  tear_down_dependents: kind.flag("Tears down what depends on it, too.").optional(),
  plan_only: kind.flag("Plans, and changes nothing.").optional(),
  skip_component_deploys: kind.flag("Leaves the components out.").optional(),
  trigger_name: kind.text("wait_for_trigger: which trigger.", 255).optional(),
  event_types: kind.list("wait_for_trigger: which events.", kind.text("", 255)).optional(),
  filters,
});

export const runbook = z.strictObject({
  name: kind.name("The runbook's name."),
  description: kind.text("What it is for.", 4096).optional(),
  readme: kind.fileText("Markdown for who runs it.").optional(),
  labels: kind.labels("Its labels.").optional(),
  dependencies: kind
    .list("Components that it needs, besides those it refers to.", kind.name(""))
    .optional(),
  input: kind.list("What is asked of who runs it.", z.strictObject(inputMembers)).optional(),
  steps: kind
    .list("What it does, one after the other.", runbookStep, 100)
    .min(1, { error: "must have at least one step" }),
  triggers: kind
    .list(
      "What begins it.",
      z.strictObject({
        type: kind.oneOf("What begins a run.", ["manual", "cron"]),
        cron_schedule: kind.cron("cron: when, in UTC.").optional(),
      }),
      20,
    )
    .optional(),
});
