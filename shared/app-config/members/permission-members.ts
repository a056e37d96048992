import { z } from "zod";
import * as kind from "./kinds.ts";

const rolePolicy = z.strictObject({
  name: kind.text("The policy's name.", 128).optional(),
  contents: kind.fileText("AWS: the policy's document, as JSON.").optional(),
  managed_policy_name: kind.text("AWS: a managed policy's name.", 255).optional(),
  gcp_permissions: kind.list("GCP: permissions.", kind.text("", 255)).optional(),
  gcp_predefined_role: kind.text("GCP: a predefined role.", 255).optional(),
  azure_actions: kind.list("Azure: actions.", kind.text("", 255)).optional(),
  azure_built_in_roles: kind.list("Azure: built-in roles.", kind.text("", 255)).optional(),
});

const roleMembers = {
  name: kind.renderedName("The role's name; it may hold a template."),
  display_name: kind.text("What people read instead of the name.", 255).optional(),
  description: kind.text("What the role is for.", 4096).optional(),
  cloud_platform: kind.oneOf("The cloud that it is in.", ["aws", "azure", "gcp"]).optional(),
  enabled_in_stack: kind.flag("Whether the stack makes it unless told otherwise.").optional(),
  permissions_boundary: kind.fileText("AWS: the boundary's document, as JSON.").optional(),
  named_policy_names: kind
    .list("Policies of `named_policies` that it has besides.", kind.text("", 255))
    .optional(),
  cloudformation_stack_name: kind.text("The stack that makes it.", 255).optional(),
  cloudformation_param_name: kind.text("The parameter that switches it.", 255).optional(),
  policies: kind.list("What it may do.", rolePolicy, 50).optional(),
};

/** A role in the customer's cloud account. */
export const role = z.strictObject(roleMembers);

export const namedPolicy = z.strictObject({
  name: kind.renderedName("The policy's name; it may hold a template."),
  policy_name: kind.text("Its name in the account, if not the same.", 255).optional(),
  description: kind.text("What it allows.", 4096).optional(),
  contents: kind.fileText("The policy's document, as JSON."),
});

export const permissionKinds = [
  "provision",
  "deprovision",
  "maintenance",
  "custom",
  "named_policy",
] as const;

export const permissions = z.strictObject({
  provision_role: role.meta({ description: "Makes installs." }).optional(),
  deprovision_role: role.meta({ description: "Removes installs." }).optional(),
  maintenance_role: role.meta({ description: "Everything between." }).optional(),
  custom_roles: kind.list("Further roles, which operations name.", role).optional(),
  named_policies: kind.list("Policies that several roles share.", namedPolicy).optional(),
});

/** As permissions.toml has them: roles also in one list. */
export const permissionsFile = permissions.extend({
  roles: kind
    .list(
      "Roles, each by its `type`; besides or instead of those above.",
      role.extend({
        type: kind.oneOf("Which role it is.", permissionKinds.slice(0, 4) as RoleKinds),
      }),
    )
    .optional(),
});
type RoleKinds = ["provision", "deprovision", "maintenance", "custom"];

export const policyEngines = ["opa", "kyverno"] as const;
export const policyTypes = [
  "kubernetes_cluster",
  "terraform_module",
  "helm_chart",
  "kubernetes_manifest",
  "pulumi",
  "sandbox",
  "docker_build",
  "container_image",
] as const;

export const policy = z.strictObject({
  name: kind.name(
    "The policy's name; without one, that of its file, else that of its text's file.",
  ),
  description: kind.text("What it asks for.", 4096).optional(),
  type: kind.oneOf("What it judges.", policyTypes),
  engine: kind
    .oneOf("What evaluates it: kyverno for kubernetes_cluster, else opa.", policyEngines)
    .optional(),
  components: kind
    .list(
      "Which components: their names, or only * for all, as without it. For policies of components.",
      kind.text("", 63),
    )
    .optional(),
  contents: kind.fileText("Rego of `package svc`, or a Kyverno policy as YAML."),
  apply_on_teardown: kind.flag("Whether it also judges plans of teardowns.").optional(),
});

/** As files have it: it may have no name. */
export const policyInFile = policy.partial({ name: true });

export const secret = z.strictObject({
  name: kind.name("The secret's name; templates see what is known of it, never its value."),
  display_name: kind.text("What people read instead of the name.", 255).optional(),
  description: kind.text("What it is for.", 4096).optional(),
  format: kind.text("What its value looks like.", 64).optional(),
  default: kind.text("Its value where none is given.").optional(),
  required: kind.flag("Whether it must be given.").optional(),
  user_configurable: kind.flag("Has no effect: customers give secrets.").optional(),
  auto_generate: kind.flag("Whether a value is made where it has none.").optional(),
  cloudformation_stack_name: kind.text("The stack that asks for it.", 255).optional(),
  cloudformation_param_name: kind.text("The parameter that asks for it.", 255).optional(),
  kubernetes_sync: kind.flag("Whether it is copied into the cluster.").optional(),
  kubernetes_secret_name: kind.text("The name of that copy.", 253).optional(),
  kubernetes_secret_namespace: kind.text("The namespace of that copy.", 253).optional(),
  kubernetes_sync_targets: kind
    .list(
      "Several copies; instead of the two members above.",
      z.strictObject({
        name: kind.text("The copy's name.", 253),
        key: kind.text("The key in it.", 253),
        namespaces: kind.list("Its namespaces.", kind.text("", 253)),
      }),
      50,
    )
    .optional(),
});
