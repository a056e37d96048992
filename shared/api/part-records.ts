import { z } from "@hono/zod-openapi";
import { configSchema } from "../app-config/config-files.ts";
import * as app from "../app-config/members/app-members.ts";
import { triggerRule } from "../app-config/members/delivery-members.ts";
import * as permission from "../app-config/members/permission-members.ts";
import { policyId } from "../policies/policy-id.ts";
import { asText, repos, rolesOfOperations, variables } from "./part-members.ts";
import {
  listIn,
  listOf,
  ofConfig as within,
  or,
  type PartRecord,
  partRecord,
  type Stored,
} from "./part-record.ts";

const { shape } = configSchema;
/** What each part has besides: it is the config's, and has no id of its own. */
const ofConfig = {
  also: {
    id: z.string().describe("That of the config: a part has none of its own."),
    org_id: z.string(),
    app_id: z.string(),
    app_config_id: z.string(),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    updated_at: z.iso.datetime().describe("As created_at: a config never changes."),
  },
} as const;

const group = partRecord("AppInputGroup", {
  within,
  file: app.inputGroup,
  made: { index: { schema: z.int(), read: ({ index }) => index } },
});
const input = partRecord("AppInput", {
  within,
  file: app.input,
  made: {
    type: or(app.input.shape.type.unwrap(), "type", "string"),
    default: {
      schema: z.string().describe("Its value where none is given; what is no text as JSON."),
      read: ({ default: value }) => (value === undefined ? value : asText(value)),
    },
    source: or(app.input.shape.source.unwrap(), "source", "vendor"),
    required: or(z.boolean(), "required", false),
    sensitive: or(z.boolean(), "sensitive", false),
    group: {
      schema: group.schema.describe("The group that it is shown in."),
      read: ({ group: of }) => of,
    },
    index: { schema: z.int(), read: ({ index }) => index },
  },
});
const inputs = partRecord("AppInputConfig", {
  ...ofConfig,
  made: {
    input_groups: {
      schema: z.array(group.schema),
      read: (part, whole) =>
        listIn(part, "group").map((one, index) => group.read({ ...one, index }, whole)),
    },
    inputs: {
      schema: z.array(input.schema),
      read: (part, whole) => {
        const groups = listIn(part, "group").map((one, index) =>
          group.read({ ...one, index }, whole),
        );
        const byName = new Map(groups.map((one) => [one["name"], one]));
        return listIn(part, "input").map((one, index) =>
          input.read({ ...one, index, group: byName.get(one["group"]) }, whole),
        );
      },
    },
  },
});

const sandbox = partRecord("AppSandboxConfig", {
  ...ofConfig,
  file: app.sandbox,
  of: "sandbox",
  made: {
    type: or(app.sandbox.shape.type.unwrap(), "type", "terraform"),
    ...variables,
    ...rolesOfOperations,
    ...repos,
  },
});

const clouds = ["aws", "azure", "gcp", "unknown"] as const;
const runner = partRecord("AppRunnerConfig", {
  ...ofConfig,
  file: app.runner,
  of: "runner",
  made: {
    cloud_platform: {
      schema: z.enum(clouds),
      read: ({ runner_type: type }) =>
        clouds.find((cloud) => String(type).startsWith(cloud)) ?? "unknown",
    },
  },
});

const stack = partRecord("AppStackConfig", { ...ofConfig, file: app.stack });

const rolePolicy = partRecord("AppAWSIAMPolicyConfig", {
  within,
  file: permission.role.shape.policies.unwrap().element,
});
const roleTypes = [
  "runner_provision",
  "runner_deprovision",
  "runner_maintenance",
  "custom",
  "breakglass",
] as const;
type RoleType = (typeof roleTypes)[number];
const role = partRecord("AppAWSIAMRoleConfig", {
  within,
  file: permission.role,
  made: {
    type: { schema: z.enum(roleTypes), read: ({ type }) => type },
    enabled_in_stack: {
      schema: z.object({ bool: z.boolean(), valid: z.literal(true) }),
      read: ({ enabled_in_stack: bool }) => (bool === undefined ? bool : { bool, valid: true }),
    },
    policies: listOf(rolePolicy, "policies"),
  },
});
const ofType = (type: RoleType, whole: Stored) => (stored: Stored) =>
  role.read({ ...stored, type }, whole);
const namedPolicy = partRecord("AppNamedIAMPolicyConfig", {
  within,
  file: permission.namedPolicy,
});

const ownRoles = [
  ["provision_aws_iam_role", "provision_role", "runner_provision"],
  ["deprovision_aws_iam_role", "deprovision_role", "runner_deprovision"],
  ["maintenance_aws_iam_role", "maintenance_role", "runner_maintenance"],
] as const;
const customRoles = (part: Stored, whole: Stored) =>
  listIn(part, "custom_roles").map(ofType("custom", whole));
type Role = { readonly member: string; readonly type: RoleType };
const ownRole = (part: Stored, whole: Stored, { member, type }: Role) =>
  part[member] === undefined ? undefined : ofType(type, whole)(part[member] as Stored); // a checked config's
const permissions = partRecord("AppPermissionsConfig", {
  ...ofConfig,
  made: {
    ...Object.fromEntries(
      ownRoles.map(([as, member, type]) => [
        as,
        {
          schema: role.schema,
          read: (part: Stored, whole: Stored) => ownRole(part, whole, { member, type }),
        },
      ]),
    ),
    custom_aws_iam_roles: { schema: z.array(role.schema), read: customRoles },
    aws_iam_roles: {
      schema: z.array(role.schema).describe("All of them."),
      read: (part, whole) => [
        ...ownRoles.flatMap(([, member, type]) => ownRole(part, whole, { member, type }) ?? []),
        ...customRoles(part, whole),
      ],
    },
    named_policies: listOf(namedPolicy, "named_policies"),
  },
});
const breakGlass = partRecord("AppBreakGlassConfig", {
  ...ofConfig,
  made: {
    aws_iam_roles: {
      schema: z.array(role.schema),
      read: (part, whole) => listIn(part, "role").map(ofType("breakglass", whole)),
    },
  },
});

/** `component:api` and `sandbox`: a type, and perhaps a name. */
const principalOf = ({ principal }: Stored, at: 0 | 1) => String(principal).split(":", 2)[at] ?? "";
const rule = partRecord("AppOperationRoleRule", {
  within,
  file: app.operationRoleRule,
  made: {
    principal_type: { schema: z.string(), read: (stored) => principalOf(stored, 0) },
    principal_name: { schema: z.string(), read: (stored) => principalOf(stored, 1) },
  },
});
const operationRoles = partRecord("AppOperationRoleConfig", {
  ...ofConfig,
  file: shape.operation_roles.unwrap(),
  made: { rules: listOf(rule, "rules") },
});

/** A policy of a config. */
export const policyRecord = partRecord("AppAppPolicyConfig", {
  within,
  file: permission.policy,
  made: {
    id: {
      schema: z.string().describe("The same in each config of the app that has it by its name."),
      read: ({ name }, { app_id: app }) => policyId(String(app), String(name)),
    },
    engine: {
      schema: z.enum(permission.policyEngines),
      read: ({ engine, type }) => engine ?? (type === "kubernetes_cluster" ? "kyverno" : "opa"),
    },
  },
});
const secret = partRecord("AppSecretConfig", {
  within,
  file: permission.secret,
  made: {
    required: or(z.boolean(), "required", false),
    auto_generate: or(z.boolean(), "auto_generate", false),
    kubernetes_sync: or(z.boolean(), "kubernetes_sync", false),
  },
});
const context = partRecord("AppKubernetesContextConfig", {
  within,
  file: app.kubernetesContext,
});
const triggerRules = partRecord("TriggerRule", {
  within,
  file: triggerRule,
  made: { enabled: or(z.boolean(), "enabled", true) },
});
const lists = (name: string, as: string, [record, member]: readonly [PartRecord, string]) =>
  partRecord(name, { ...ofConfig, made: { [as]: listOf(record, member) } });

/** What the API shows of the parts of a config, by the section that has them. */
export const partRecords = {
  metadata: partRecord("AppMetadataConfig", { ...ofConfig, file: app.metadata }),
  inputs,
  sandbox,
  runner,
  stack,
  permissions,
  break_glass: breakGlass,
  operation_roles: operationRoles,
  policies: lists("AppPoliciesConfig", "policies", [policyRecord, "policy"]),
  secrets: lists("AppSecretsConfig", "secrets", [secret, "secret"]),
  kubernetes_contexts: lists("AppKubernetesContextsConfig", "contexts", [context, "context"]),
  trigger_rules: lists("AppTriggerRulesConfig", "trigger_rules", [triggerRules, "rule"]),
} as const satisfies Readonly<Record<string, PartRecord>>;
