import { z } from "@hono/zod-openapi";
import { roleTypes } from "../permissions.ts";
import { accountSchema } from "./account.ts";
import { createRoute } from "./create-route.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";

const tags = ["Access"];
const writing = { surface: "operator", permission: "accounts.write" } as const;
const userBody = z
  .strictObject({ user_id: z.string().min(1).max(64).describe("The account's id.") })
  .openapi("OrgUser", { example: { user_id: "acc_01m7z0djxbvecdfx1xbz73r4je" } });

export const listOrgAccountsRoute = createRoute("listOrgAccounts", {
  get: "/v1/orgs/current/accounts",
  rule: { surface: "operator", permission: "accounts.read" },
  tags,
  summary: "List the accounts that have a role in this org",
  description: listingDescription,
  query: z.object(listingQuery),
  responses: { 200: json(listingOf(accountSchema), "The accounts.") },
});

export const setOrgAccountRoleRoute = createRoute("setOrgAccountRole", {
  patch: "/v1/orgs/current/accounts/{account_id}/role",
  rule: writing,
  tags,
  summary: "Give an account of this org one role, in place of all that it has here",
  body: z.strictObject({ role_type: z.enum(roleTypes) }),
  responses: { 200: json(accountSchema, "The account after the change.") },
});

export const addOrgUserRoute = createRoute("addOrgUser", {
  post: "/v1/orgs/current/user",
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Add an account of another org of yours to this org",
  description:
    "Of an org in which the caller's own account is an admin: else 404. It gets the role `org_read_only`, and keeps what it has where it is here already.",
  body: userBody,
  responses: { 201: json(accountSchema, "The account.") },
});

export const removeOrgUserRoute = createRoute("removeOrgUser", {
  post: "/v1/orgs/current/remove-user",
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Remove an account from this org, as `DELETE /v1/accounts/{account_id}` does",
  body: userBody,
  responses: { 201: json(accountSchema, "The account, which has no role here any more.") },
});
