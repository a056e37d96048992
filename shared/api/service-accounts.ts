import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { roleTypes } from "../permissions.ts";
import { accountSchema } from "./account.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { tokens } from "./tokens.ts";

const tags = ["Access"];
const path = "/v1/service-accounts";
const writing = { surface: "operator", permission: "accounts.write" } as const;
const name = z.string().trim().min(1).max(200);
const role = z
  .string()
  .min(1)
  .max(64)
  .describe("The role_type of a managed role, or the id of a role.");
const hourNs = 3600 * secondNs;
const longestNs = 90 * 24 * hourNs;
const duration = durationInput({ minNs: 60 * secondNs, maxNs: longestNs })
  .default(longestNs)
  .describe("How long the token is valid: 1 minute to 90 days, which is the default.");

export const listServiceAccountsRoute = createRoute("listServiceAccounts", {
  get: path,
  rule: { surface: "operator", permission: "accounts.read" },
  tags,
  summary: "List the service accounts that have a role in this org",
  description: listingDescription,
  query: z.object({
    ...listingQuery,
    include_runners: z
      .enum(["true", "false"])
      .optional()
      .describe("Changes nothing: runners have no accounts."),
  }),
  responses: { 200: json(listingOf(accountSchema), "The accounts.") },
});

export const createServiceAccountRoute = createRoute("createServiceAccount", {
  post: path,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Create a service account in this org",
  body: z.strictObject({ name, role }),
  responses: { 201: json(accountSchema, "The new account.") },
});

export const updateServiceAccountRoute = createRoute("updateServiceAccount", {
  patch: `${path}/{account_id}`,
  rule: writing,
  tags,
  summary: "Rename a service account",
  description: "409 `account_elsewhere` for one that has a role in another org, too.",
  body: z.strictObject({ name }),
  responses: { 200: json(accountSchema, "The account after the change.") },
});

export const deleteServiceAccountRoute = createRoute("deleteServiceAccount", {
  delete: `${path}/{account_id}`,
  rule: writing,
  tags,
  summary: "Remove a service account from this org, and revoke its tokens here",
  responses: { 202: json(accountSchema, "The account, which has no role here any more.") },
});

export const setServiceAccountRoleRoute = createRoute("setServiceAccountRole", {
  patch: `${path}/{account_id}/role`,
  rule: writing,
  tags,
  summary: "Give a service account one role, in place of all that it has here",
  description: "Its tokens lose at once what the role lacks, and gain nothing: make new ones.",
  body: z.strictObject({ role }),
  responses: { 200: json(accountSchema, "The account after the change.") },
});

export const createServiceAccountTokenRoute = createRoute("createServiceAccountToken", {
  post: `${path}/{account_id}/tokens`,
  rule: { surface: "operator", permission: "tokens.write", idempotent: "once" },
  tags,
  summary: "Create a token of a service account, with its role",
  description:
    "409 `several_roles` for an account with more than one: `POST /v1/tokens` names the one that the token is to have.",
  body: z.strictObject({
    duration,
    invalidate: z
      .boolean()
      .default(false)
      .describe("Whether its older tokens of this org are revoked, but for tokens of type admin."),
  }),
  responses: {
    201: json(
      z.object({ id: z.string(), token: z.string() }).openapi("CreateServiceAccountTokenResponse"),
      "The token itself. It is shown only once.",
    ),
  },
});

export const createStaticTokenRoute = createRoute("createStaticToken", {
  post: "/v1/account/static-token",
  rule: { surface: "operator", permission: "tokens.write", idempotent: "once" },
  tags,
  summary: "Create a token of the caller's own account",
  description: "403 `no_account` for a token that acts for itself.",
  body: z.strictObject({
    name,
    duration,
    role: z.enum(roleTypes).optional().describe("Default: all roles of the account."),
    token_identity: z.string().max(200).default("").describe("Kept as its `source_id`."),
  }),
  responses: {
    201: json(
      z.object({ id: z.string(), api_token: z.string() }).openapi("StaticTokenResponse"),
      "The token itself. It is shown only once.",
    ),
  },
});

export const listStaticTokensRoute = createRoute("listStaticTokens", {
  get: "/v1/account/static-tokens",
  rule: { surface: "operator", permission: "tokens.own" },
  tags,
  summary: "List the valid static tokens of the caller's own account, made in this org",
  responses: { 200: json(z.array(tokens.itemSchema), "The latest 100, the newest first.") },
});

export const deleteStaticTokenRoute = createRoute("deleteStaticToken", {
  delete: "/v1/account/static-tokens/{token_id}",
  rule: { surface: "operator", permission: "tokens.write" },
  tags,
  summary: "Revoke a static token of the caller's own account",
  responses: { 204: { description: "Done." } },
});
