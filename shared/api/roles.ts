import { z } from "@hono/zod-openapi";
import { permissions, roleTypes } from "../permissions.ts";
import { accountTypes } from "./account-types.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { inTwoShapes, twoShapesText } from "./two-shapes.ts";

/** How clients know the policies of the service's own roles. */
export const policyNames = [
  "hosted_installer",
  "installer",
  "org_admin",
  "org_builder",
  "org_read_only",
  "org_support",
  "runner",
] as const;

/** A role: managed ones are the service's own, custom ones may belong to an org. */
export const roleSchema = z
  .object({
    id: z.string(),
    org_id: z.string().nullable(),
    role_type: z.enum(roleTypes),
    title: z.string(),
    description: z.string(),
    applies_to: z.array(z.enum(["account", "token"])),
    assignable: z.boolean().describe("Whether it can be chosen for an account."),
    managed: z.boolean(),
    permissions: z.array(z.string()),
    bound_permissions: z
      .array(z.string())
      .describe("What it additionally permits with a token that is bound to an app or an install."),
    policies: z
      .array(
        z.object({
          name: z.enum(policyNames).optional().describe("Of the service's own, where it has one."),
          title: z.string().describe("The name that the role gives it."),
          permissions: z
            .record(z.string(), z.literal("allow"))
            .describe("By its name, each permission; each is `allow`."),
        }),
      )
      .describe("What it permits, in parts."),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    createdBy: z
      .object({
        id: z.string(),
        name: z.string(),
        email: z.string(),
        account_type: z.enum(accountTypes),
      })
      .optional()
      .describe(
        "The account that made it; missing where that is the service, or a token that is no person's.",
      ),
    updated_at: z.iso.datetime(),
  })
  .openapi("Role");
export type Role = z.infer<typeof roleSchema>;

const policy = z.strictObject({
  name: z.string().trim().min(1).max(63),
  permissions: z.array(z.enum(permissions)).min(1).max(permissions.length),
});

const title = z.string().trim().min(1).max(200);
const description = z.string().trim().max(2000);
const policies = z.array(policy).min(1).max(50);

const createRoleBody = z.strictObject({
  title,
  description: description.default(""),
  role_type: z.enum(roleTypes).exclude(["runner"]).describe("The managed role that it narrows."),
  policies: policies.describe("The part of it that remains."),
});
export type NewRole = z.infer<typeof createRoleBody>;

const roleChanges = z
  .strictObject({
    title,
    description,
    policies: policies.describe(
      "The part of the managed role that remains; replaces the previous part.",
    ),
  })
  .partial()
  .openapi("RoleChanges", { example: { description: "Answers approvals." } });
export type RoleChanges = z.infer<typeof roleChanges>;

export const createRoleRoute = createRoute("createRole", {
  post: "/v1/roles",
  rule: { surface: "operator", permission: "accounts.write", idempotent: "replay" },
  tags: ["Access"],
  summary: "Create a role of the org",
  description:
    "It permits the part of a managed role that its policies name, and no more than its maker has: 403 `wider_than_own`. An org has 100 at most: 409 `too_many_roles`.",
  body: createRoleBody,
  responses: { 201: json(roleSchema, "The new role.") },
});

export const updateRoleRoute = createRoute("updateRole", {
  patch: "/v1/roles/{role_id}",
  rule: { surface: "operator", permission: "accounts.write" },
  tags: ["Access"],
  summary: "Change a role of the org",
  description:
    "Members that are missing stay; the managed role that it narrows cannot change. New policies count for whoever has it within a second. 403 `wider_than_own` as for a new one. 409 `role_not_own` for a managed one.",
  body: roleChanges,
  responses: { 200: json(roleSchema, "The role.") },
});

export const deleteRoleRoute = createRoute("deleteRole", {
  delete: "/v1/roles/{role_id}",
  rule: { surface: "operator", permission: "accounts.write" },
  tags: ["Access"],
  summary: "Delete a role of the org",
  description: "409 `role_in_use` while an account, a token or an open invitation has it.",
  responses: { 204: { description: "Done." } },
});

export const listRolesRoute = createRoute("listRoles", {
  get: "/v1/roles",
  rule: { surface: "operator", permission: "roles.read", bound: true },
  tags: ["Access"],
  summary: "List the roles",
  description: `The managed roles and the org's own. ${twoShapesText}`,
  query: z.object({
    context: z
      .string()
      .max(64)
      .optional()
      .describe("Has no effect: each role is good for the org."),
  }),
  responses: {
    200: json(
      inTwoShapes(
        z.object({ items: z.array(roleSchema), next_cursor: z.null() }),
        z.array(roleSchema),
      ),
      "The roles.",
    ),
  },
});
