import { z } from "@hono/zod-openapi";
import { accountTypes } from "./account-types.ts";
import { createRoute } from "./create-route.ts";
import { idParam } from "./id-param.ts";
import { pageOf, pageQuery } from "./page.ts";
import { json, jsonBody } from "./response.ts";
import { roleSchema } from "./roles.ts";

export const accountSchema = z
  .object({
    id: z.string(),
    account_type: z.enum(accountTypes),
    name: z.string(),
    email: z.string(),
    subject: z.string(),
    org_ids: z
      .array(z.string())
      .describe("Those of its orgs that the caller's account is in, too."),
    permissions: z.array(z.string()).describe("What its roles in this org permit."),
    roles: z.array(roleSchema),
    user_journeys: z.array(z.object({ name: z.string(), title: z.string() })),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Account");
export type Account = z.infer<typeof accountSchema>;

/** Roles as callers name them. */
export const givenRoles = z
  .array(z.string().min(1).max(64))
  .max(20)
  .describe("Roles of this org: a role's id, or the role_type of a managed one.");
const params = z.object({ account_id: idParam("account_id", "acc") });

/** An email address in the form people write it; whether it is anybody's is not checked. */
const email = z.union([z.email().max(320), z.literal("")]);

export const createAccountRoute = createRoute({
  operationId: "createAccount",
  rule: { surface: "operator", permission: "accounts.write", idempotent: "replay" },
  method: "post",
  path: "/v1/accounts",
  tags: ["Access"],
  summary: "Create an account in this org",
  request: {
    body: jsonBody(
      z.strictObject({
        account_type: z.enum(accountTypes).default("service"),
        name: z.string().trim().max(200).default(""),
        email: email.default(""),
        subject: z.string().max(200).default("").describe("Unique among accounts of this type."),
        roles: givenRoles.min(1),
      }),
    ),
  },
  responses: { 201: json(accountSchema, "The new account.") },
});

export const listAccountsRoute = createRoute({
  operationId: "listAccounts",
  rule: { surface: "operator", permission: "accounts.read" },
  method: "get",
  path: "/v1/accounts",
  tags: ["Access"],
  summary: "List the accounts that have a role in this org",
  request: {
    query: z.object({
      ...pageQuery,
      type: z.enum(accountTypes).optional().describe("Only accounts of this type."),
      q: z.string().min(1).max(200).optional().describe("A part of the name or the email."),
    }),
  },
  responses: { 200: json(pageOf(accountSchema), "A page of accounts, the newest first.") },
});

export const getAccountRoute = createRoute({
  operationId: "getAccount",
  rule: { surface: "operator", permission: "accounts.read" },
  method: "get",
  path: "/v1/accounts/{account_id}",
  tags: ["Access"],
  summary: "Get an account of this org",
  request: { params },
  responses: { 200: json(accountSchema, "The account.") },
});

export const setAccountRolesRoute = createRoute({
  operationId: "setAccountRoles",
  rule: { surface: "operator", permission: "accounts.write" },
  method: "put",
  path: "/v1/accounts/{account_id}/roles",
  tags: ["Access"],
  summary: "Replace the roles of an account in this org",
  request: { params, body: jsonBody(z.strictObject({ roles: givenRoles.min(1) })) },
  responses: { 200: json(accountSchema, "The account after the change.") },
});

export const removeAccountRoute = createRoute({
  operationId: "removeAccount",
  rule: { surface: "operator", permission: "accounts.write" },
  method: "delete",
  path: "/v1/accounts/{account_id}",
  tags: ["Access"],
  summary: "Remove an account from this org",
  description:
    "Its roles in this org are removed and its tokens of this org are revoked. A person's own token keeps working in other orgs, without any permission in this one.",
  request: { params },
  responses: { 204: { description: "Done." } },
});
