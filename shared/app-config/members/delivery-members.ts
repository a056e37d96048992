import { z } from "zod";
import { stackTemplates } from "./app-members.ts";
import * as kind from "./kinds.ts";
import { filters, repoChoice } from "./shared-members.ts";

const selector = kind.labels("Installs that have these labels.").optional();

export const branch = z.strictObject({
  name: kind.name("The branch's name."),
  ...repoChoice,
  run_config: z
    .strictObject({
      mode: kind.oneOf("What begins a run.", ["push", "on_tag", "on_github_label", "manual_only"]),
      github_label: kind.text("on_github_label: which.", 255).optional(),
      tag_prefix: kind.text("on_tag: what the tag begins with.", 255).optional(),
    })
    .meta({ description: "When it runs." })
    .optional(),
  preview_config: z
    .strictObject({
      mode: kind.oneOf("What a preview does.", ["none", "plan-only", "apply", "build-only"]),
      install_id: kind.text("Where, by its id.", 64).optional(),
      install_name: kind.text("Where.", 63).optional(),
      label_selector: selector,
      comment: kind.flag("Comments on the pull request.").optional(),
      react: kind.flag("Reacts to the pull request.").optional(),
      set_statuses: kind.flag("Sets commit statuses.").optional(),
      ignore_drafts: kind.flag("Passes over drafts.").optional(),
    })
    .meta({ description: "What pull requests bring." })
    .optional(),
  install_groups: kind
    .list(
      "Groups of installs, deployed by their order.",
      z.strictObject({
        name: kind.name("The group's name."),
        order: kind.whole("Its place.", [0, 1000]).optional(),
        default: kind.flag("Holds what no other group does.").optional(),
        max_parallel: kind.whole("How many installs at once.", [1, 1000]).optional(),
        label_selector: selector,
        install_ids: kind.list("Its installs by their ids.", kind.text("", 64)).optional(),
        install_names: kind.list("Its installs by their names.", kind.text("", 63)).optional(),
        auto_approve_on_policies_passing: kind.flag("Approves what all policies pass.").optional(),
      }),
      50,
    )
    .optional(),
  post_deploy_runbooks: kind
    .list("Runbooks that run on each install after its deploy.", kind.name(""), 20)
    .optional(),
  ignore_changes_regex: kind
    .text("A run is passed over when every changed file matches this.", 1024)
    .optional(),
  send_statuses_on_ignore: kind.flag("Then tells the commit that all is well.").optional(),
});

export const install = z.strictObject({
  name: kind
    .text("The install's name.", 63)
    .min(1, { error: "must not be empty" })
    .regex(/^[^\p{Cc}]*$/u, { error: "must have printable characters only" }),
  app_branch: kind.text("The branch that it follows.", 255).optional(),
  labels: kind.labels("Its labels.").optional(),
  approval_option: kind.oneOf("Who approves.", ["approve-all", "prompt"]).optional(),
  aws_account: z
    .strictObject({ region: kind.text("The region.", 64) })
    .meta({ description: "It is in an AWS account." })
    .optional(),
  gcp_account: z
    .strictObject({
      project_id: kind.text("The project.", 64),
      region: kind.text("The region.", 64),
    })
    .meta({ description: "It is in a GCP project." })
    .optional(),
  azure_account: z
    .strictObject({ location: kind.text("The location.", 64) })
    .meta({ description: "It is in an Azure subscription." })
    .optional(),
  inputs: kind.list("Values of inputs, by their names.", kind.values("")).optional(),
  component_toggles: kind.flags("Which toggleable components it has.").optional(),
  components: kind.anyValue("Kept and shown; nothing acts on it.").optional(),
  stack_overrides: z
    .strictObject(stackTemplates)
    .meta({ description: "Its own parts of the stack's template." })
    .optional(),
});

/** Where files of installs are. */
export const installsConfig = z.strictObject(repoChoice);

export const triggerRule = z.strictObject({
  name: kind.name("The rule's name."),
  enabled: kind.flag("Whether it fires (default true).").optional(),
  event_types: kind.list("Which events.", kind.text("", 255)),
  filters,
  target_type: kind.oneOf("What it begins.", ["app_branch_run", "runbook"]),
  branch: kind.name("app_branch_run: which branch.").optional(),
  runbook: kind.name("runbook: which.").optional(),
  install_name: kind.text("runbook: on which install.", 63).optional(),
  input_mappings: kind.texts("Inputs of the runbook, as templates over `.event`.").optional(),
  force: kind.flag("Runs although nothing changed.").optional(),
  plan_only: kind.flag("Plans, and changes nothing.").optional(),
  valid_from: kind.text("Not before this instant.", 64).optional(),
  valid_to: kind.text("Not after this instant.", 64).optional(),
});
