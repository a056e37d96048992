import { z } from "@hono/zod-openapi";
import { boundTypes, grantablePermissions, roleTypes } from "../permissions.ts";
import { is } from "../resources/filters.ts";
import { instant, list, made, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { createRoute } from "./create-route.ts";
import { instantInput } from "./instant.ts";
import { json } from "./response.ts";

/** What issued a token. */
export const tokenTypes = [
  "auth",
  "auth0",
  "admin",
  "static",
  "integration",
  "canary",
  "svc",
  "federated",
  "oauth",
] as const;

const id = z.string().max(64).optional();
const grant = z.enum(grantablePermissions);
const kinds = ["pat", "sa", "rt", "boot", "st", "it"] as const;

export const tokens = resource({
  noun: "token",
  plural: "tokens",
  schema: "Token",
  tag: "Access",
  prefix: "tok",
  param: "token_id",
  path: "/v1/tokens",
  under: [],
  surface: "operator",
  read: "tokens.read",
  opens: ["list", "get"],
  bound: "path",
  paged: "cursor",
  says: { list: "List the org's tokens", get: "Get a token" },
  members: {
    ...owned,
    kind: word(
      kinds,
      "The kind in its prefix: person, service account, runner, enrolment, stack, installer.",
    ),
    reach: word(
      ["org", "account"],
      "org: it acts in its own org and for itself. account: a person's own token; it acts for its account in all orgs of that account.",
    ),
    token_type: word(tokenTypes),
    name: text(),
    hint: text("Its prefix and last four characters."),
    account_id: orNull(text()),
    runner_id: orNull(text(), "The runner it is bound to."),
    role: orNull(word(roleTypes), "null: all roles of its account."),
    role_id: orNull(text(), "The role of the org that it has, of that type."),
    grants: list(grant, "Permissions beyond its role."),
    bound_type: orNull(word(boundTypes)),
    bound_id: orNull(
      text(),
      "The one app (with its installs) or install that it reaches; null: the org.",
    ),
    issuer: text(),
    source_id: text(),
    source_type: text(),
    issued_at: instant(),
    expires_at: orNull(instant()),
    used_at: orNull(instant(), "Its first use."),
    last_used_at: orNull(instant(), "Exact to a minute."),
    revoked_at: orNull(instant()),
    replaced_by: orNull(text(), "The token that a rotation or an enrolment made."),
    ...made,
    updated_at: instant(),
  },
  filters: {
    account_id: is("account_id", id.describe("Only tokens of this account.")),
    runner_id: is("runner_id", id.describe("Only tokens of this runner.")),
    bound_id: is("bound_id", id.describe("Only tokens that are bound to this app or install.")),
  },
});
export type Token = ItemOf<typeof tokens>;
const { itemSchema: tokenSchema } = tokens;

export const tokenWithSecretSchema = tokenSchema
  .extend({ secret: z.string().describe("The token itself. It is shown only once.") })
  .openapi("TokenWithSecret");

const noted = z.string().max(200).default("");

/** What a new token may say of itself. */
export const createTokenBody = z.strictObject({
  name: z.string().trim().min(1).max(200),
  kind: z.enum(["pat", "sa", "rt", "st", "it"]).default("sa"),
  role: z
    .enum(roleTypes)
    .optional()
    .describe(
      "Required for all kinds except pat (default: the roles of its account) and rt (always runner).",
    ),
  role_id: z
    .string()
    .max(64)
    .optional()
    .describe("A role of the org, in place of `role`. Such a token has no grants."),
  grants: z
    .array(grant)
    .max(grantablePermissions.length)
    .default([])
    .describe(
      "Permissions beyond its role. Few roles have them, because they show customers' secrets.",
    ),
  account_id: z
    .string()
    .max(64)
    .optional()
    .describe(
      "Required for kind pat. The token has no more permissions than this account in this org. Only a pat that a person's own token creates for its own account acts for the account in its other orgs.",
    ),
  runner_id: z.string().max(64).optional().describe("Required for kind rt."),
  bound_type: z.enum(boundTypes).optional().describe("Only together with bound_id."),
  bound_id: z
    .string()
    .max(64)
    .optional()
    .describe(
      "The one app (with its installs) or install that the token reaches. The roles installer and hosted-installer need this to work on installs.",
    ),
  token_type: z.enum(tokenTypes).optional(),
  issuer: noted,
  source_id: noted,
  source_type: noted,
  expires_at: instantInput.optional().describe("Default: never."),
});

export const createTokenRoute = createRoute("createToken", {
  post: "/v1/tokens",
  rule: { surface: "operator", permission: "tokens.write", idempotent: "once" },
  tags: ["Access"],
  summary: "Create a token",
  body: createTokenBody,
  responses: {
    201: json(tokenWithSecretSchema, "The token with its secret, which is shown only once."),
  },
});

export const revokeTokenRoute = createRoute("revokeToken", {
  delete: "/v1/tokens/{token_id}",
  rule: { surface: "operator", permission: "tokens.write" },
  tags: ["Access"],
  summary: "Revoke a token",
  description:
    "It takes effect on every broker within a second. A person's own token (reach `account`) can only be revoked by its account or a token of type admin.",
  responses: { 200: json(tokenSchema, "The token, revoked.") },
});

const overlap =
  "Creates a second live token. The old one stays valid for 24 hours; a runner token until ten minutes after the first use of the new one.";

export const rotateTokenRoute = createRoute("rotateToken", {
  post: "/v1/tokens/{token_id}/rotate",
  rule: { surface: "operator", permission: "tokens.write", idempotent: "once" },
  tags: ["Access"],
  summary: "Rotate a token",
  description: `${overlap} Until the new one is used, the old one may be rotated again: the unused one is revoked. A person's own token (reach \`account\`) is rotated by its account alone.`,
  responses: {
    201: json(tokenWithSecretSchema, "The new token with its secret, which is shown only once."),
  },
});

export const getOwnTokenRoute = createRoute("getOwnToken", {
  get: "/v1/tokens/current",
  rule: { surface: "operator", permission: "tokens.own", ownRunner: true, bound: true },
  tags: ["Access"],
  summary: "Get the token of this request",
  responses: {
    200: json(
      tokenSchema.extend({ permissions: z.array(z.string()) }),
      "The token and its permissions in this org.",
    ),
  },
});

export const rotateOwnTokenRoute = createRoute("rotateOwnToken", {
  post: "/v1/tokens/current/rotate",
  rule: {
    surface: "operator",
    permission: "tokens.own",
    ownRunner: true,
    idempotent: "once",
    bound: true,
  },
  tags: ["Access"],
  summary: "Rotate the token of this request",
  description: overlap,
  responses: {
    201: json(tokenWithSecretSchema, "The new token with its secret, which is shown only once."),
  },
});
