import { z } from "@hono/zod-openapi";
import { roleTypes } from "../permissions.ts";
import { accountTypes } from "./account-types.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

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
      .describe("What it permits besides with a token that is bound to an app or an install."),
    policies: z
      .array(z.object({ name: z.string(), permissions: z.array(z.string()) }))
      .describe("What it permits, by name."),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    createdBy: z
      .object({
        id: z.string(),
        name: z.string(),
        email: z.string(),
        account_type: z.enum(accountTypes),
      })
      .nullable()
      .describe("The account that made it; null: the service, or a token that is no person's."),
    updated_at: z.iso.datetime(),
  })
  .openapi("Role");
export type Role = z.infer<typeof roleSchema>;

export const listRolesRoute = createRoute({
  operationId: "listRoles",
  rule: { surface: "operator", permission: "roles.read", bound: true },
  method: "get",
  path: "/v1/roles",
  tags: ["Access"],
  summary: "List the roles",
  description: "The managed roles and the org's own.",
  responses: {
    200: json(z.object({ items: z.array(roleSchema), next_cursor: z.null() }), "The roles."),
  },
});
