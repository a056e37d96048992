import { z } from "@hono/zod-openapi";
import { componentConfigRecord } from "./component-config-record.ts";
import { partRecords } from "./part-records.ts";

/** By which member a whole config has each of its typed parts. */
const names = {
  inputs: "input",
  sandbox: "sandbox",
  runner: "runner",
  stack: "stack",
  permissions: "permissions",
  break_glass: "break_glass",
  operation_roles: "operation_role_config",
  policies: "policies",
  secrets: "secrets",
  kubernetes_contexts: "kubernetes_contexts",
} as const satisfies Partial<Record<keyof typeof partRecords, string>>;
type TypedSection = keyof typeof names;
const sections = Object.keys(names) as TypedSection[]; // its own keys

const says = "With `recurse=true`, once the config is complete and if it has the part.";

/** The typed parts of a whole config: which section each is of, and their schemas. */
export const typedConfigMembers = {
  parts: sections.map((section) => ({ section, member: names[section] })),
  shape: {
    ...Object.fromEntries(
      sections.map((section) => [
        names[section],
        partRecords[section].schema.optional().describe(says),
      ]),
    ),
    component_config_connections: z
      .array(componentConfigRecord.schema)
      .optional()
      .describe("With `recurse=true`: the configs of its components."),
    action_workflow_configs: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe("With `recurse=true`: the configs of its actions, each as it is read by itself."),
  } as Record<string, z.ZodOptional>,
} as const;
