import { z } from "@hono/zod-openapi";
import { accountTypes } from "./account-types.ts";
import { accountMembers } from "./account.ts";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";

/** An account of this org, with what its roles here permit. */
const orgAccountSchema = z
  .object({
    ...accountMembers,
    permissions: z.array(z.string()).describe("What its roles in this org permit."),
  })
  .openapi("OrgAccount");
export type OrgAccount = z.infer<typeof orgAccountSchema>;

/** Roles as callers name them. */
export const givenRoles = z
  .array(z.string().min(1).max(64))
  .max(20)
  .describe("Roles of this org: a role's id, or the role_type of a managed one.");

/** An email address in the form people write it; whether it is anybody's is not checked. */
const email = z.union([z.email().max(320), z.literal("")]);

export const createAccountRoute = createRoute("createAccount", {
  post: "/v1/accounts",
  rule: { surface: "operator", permission: "accounts.write", idempotent: "replay" },
  tags: ["Access"],
  summary: "Create an account in this org",
  body: z.strictObject({
    account_type: z.enum(accountTypes).default("service"),
    name: z.string().trim().max(200).default(""),
    email: email.default(""),
    subject: z.string().max(200).default("").describe("Unique among accounts of this type."),
    roles: givenRoles.min(1),
  }),
  responses: { 201: json(orgAccountSchema, "The new account.") },
});

export const listAccountsRoute = createRoute("listAccounts", {
  get: "/v1/accounts",
  rule: { surface: "operator", permission: "accounts.read" },
  tags: ["Access"],
  summary: "List the accounts that have a role in this org",
  query: z.object({
    ...pageQuery,
    type: z.enum(accountTypes).optional().describe("Only accounts of this type."),
    q: z.string().min(1).max(200).optional().describe("A part of the name or the email."),
  }),
  responses: {
    200: json(pageOrArrayOf(orgAccountSchema), "A page of accounts, the newest first."),
  },
});

export const getAccountRoute = createRoute("getAccount", {
  get: "/v1/accounts/{account_id}",
  rule: { surface: "operator", permission: "accounts.read" },
  tags: ["Access"],
  summary: "Get an account of this org",
  responses: { 200: json(orgAccountSchema, "The account.") },
});

export const setAccountRolesRoute = createRoute("setAccountRoles", {
  put: "/v1/accounts/{account_id}/roles",
  rule: { surface: "operator", permission: "accounts.write" },
  tags: ["Access"],
  summary: "Replace the roles of an account in this org",
  body: z.strictObject({ roles: givenRoles.min(1) }),
  responses: { 200: json(orgAccountSchema, "The account after the change.") },
});

export const removeAccountRoute = createRoute("removeAccount", {
  delete: "/v1/accounts/{account_id}",
  rule: { surface: "operator", permission: "accounts.write" },
  tags: ["Access"],
  summary: "Remove an account from this org",
  description:
    "Its roles in this org are removed and its tokens of this org are revoked. A person's own token keeps working in other orgs, without any permission in this one.",
  responses: { 204: { description: "Done." } },
});
