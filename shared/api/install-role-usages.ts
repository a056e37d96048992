import { z } from "@hono/zod-openapi";
import { is } from "../resources/filters.ts";
import { json, made, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { roleSources } from "../role-sources.ts";

const record = z
  .object({
    role_id: z.string().describe("Of the customer's cloud; empty of a role that is not there."),
    role_name: z.string().describe("As the config has it; empty of the runner itself."),
    role_source: z.enum(roleSources),
    available: z.boolean().describe("Whether a job can run as it."),
    selected: z.boolean().describe("Whether this one does."),
  })
  .openapi("InstallRoleSelectionRecord");
export type RoleSelectionRecord = z.infer<typeof record>;

const filters = {
  role_name: is(
    "role_name",
    z.string().max(255).optional().describe("Of jobs that run as this role."),
  ),
} as const;

/** As whom a job of an install runs, and which roles were looked at. */
export const installRoleUsages = resource({
  noun: "use of a role",
  plural: "uses of roles",
  schema: "InstallRoleUsage",
  tag: "Installs",
  prefix: "iru",
  param: "role_usage_id",
  path: "/v1/installs/{install_id}/roles/usages",
  under: ["install"],
  surface: "control-plane",
  read: "installs.read",
  opens: [],
  bound: "path",
  members: {
    ...owned,
    install_id: text(),
    install_role_id: text("Empty: the runner itself."),
    role_name: text("Empty: the runner itself."),
    role_source: word(roleSources, "`runner`: it runs as its runner."),
    role_selection_trace: json(
      z.array(record),
      "The roles that were looked at, the first that count more. An install without a stack has none: they are not `available`, and the runner is `selected`.",
    ),
    runner_job_id: text(),
    workflow_id: text(),
    workflow_step_id: text(),
    created_at: made.created_at,
    updated_at: made.created_at,
    created_by_id: made.created_by_id,
  },
  filters,
});
export type InstallRoleUsage = ItemOf<typeof installRoleUsages>;
