import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { roleTypes } from "../permissions.ts";
import { instant, list, made, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { givenRoles } from "./accounts.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";
import { toCome } from "./to-come.ts";

const tags = ["Access"];
const hourNs = 3600 * secondNs;
const longestNs = 30 * 24 * hourNs;

export const invites = resource({
  noun: "invite",
  plural: "invitations",
  schema: "OrgInvite",
  operation: "Invite",
  tag: "Access",
  prefix: "inv",
  param: "invite_id",
  path: "/v1/orgs/current/invites",
  under: [],
  surface: "operator",
  read: "accounts.read",
  opens: ["list"],
  bound: "path",
  paged: "cursor",
  says: { list: "List the org's invitations" },
  members: {
    ...owned,
    org_name: text(),
    account_id: text(),
    role_ids: list(z.string()),
    status: word(["pending", "accepted", "revoked", "expired"]),
    expires_at: instant(),
    accepted_at: orNull(instant()),
    revoked_at: orNull(instant()),
    ...made,
  },
  filters: {},
});
export type Invite = ItemOf<typeof invites>;
const { path, itemSchema: inviteSchema } = invites;

const lives = durationInput({ minNs: hourNs, maxNs: longestNs })
  .default(7 * 24 * hourNs)
  .describe("How long it can be accepted: 1 hour to 30 days; default 7 days.");

export const createInviteRoute = createRoute("createInvite", {
  post: path,
  rule: { surface: "operator", permission: "accounts.write", idempotent: "replay" },
  tags,
  summary: "Invite an account of another org",
  description:
    "The account accepts with its own token: `POST /v1/account/invites/{invite_id}/accept`. No mail is sent. 409 `already_member`, `already_invited`.",
  body: z
    .strictObject({
      email: toCome("addresses are not proven by this version; give `account_id`"),
      account_id: z
        .string()
        .max(64)
        .optional()
        .describe("As `GET /v1/account` shows it to its owner. It must be given."),
      roles: givenRoles.min(1).optional(),
      role_type: z.enum(roleTypes).optional().describe("One role, in place of `roles`."),
      expires_in: lives,
    })
    .check(({ value, issues }) => {
      const tell = (member: string, code: string, message: string) =>
        issues.push({ code: "custom", input: value, path: [member], message, params: { code } });
      if (value.account_id === undefined) tell("account_id", "required", "Must be given.");
      if ((value.roles === undefined) === (value.role_type === undefined))
        tell("roles", "one_of", "Give either roles or role_type.");
    }),
  responses: { 201: json(inviteSchema, "The invitation.") },
});

export const resendInviteRoute = createRoute("resendInvite", {
  post: `${path}/{invite_id}/resend`,
  rule: { surface: "operator", permission: "accounts.write" },
  tags,
  summary: "Renew an invitation",
  description: "409 `invite_used`, `invite_revoked`.",
  body: z.strictObject({ expires_in: lives }),
  responses: { 200: json(inviteSchema, "The invitation.") },
});

export const revokeInviteRoute = createRoute("revokeInvite", {
  post: `${path}/{invite_id}/revoke`,
  rule: { surface: "operator", permission: "accounts.write" },
  tags,
  summary: "Revoke an invitation",
  description: "Revoking it again changes nothing. 409 `invite_used`: remove the account instead.",
  responses: { 200: json(inviteSchema, "The invitation.") },
});

export const listOwnInvitesRoute = createRoute("listOwnInvites", {
  get: "/v1/account/invites",
  rule: { surface: "operator", permission: "tokens.own" },
  tags,
  summary: "List the invitations of the account that the token acts for",
  query: z.object(pageQuery),
  responses: { 200: json(pageOrArrayOf(inviteSchema), "A page of invitations, the newest first.") },
});

export const acceptInviteRoute = createRoute("acceptInvite", {
  post: "/v1/account/invites/{invite_id}/accept",
  rule: { surface: "operator", permission: "tokens.own" },
  tags,
  summary: "Accept an invitation, by the account's own token",
  description:
    "From then on the token acts in that org too, by `X-Svc-Org-Id`. 403 `not_your_invite`, `no_account`; 409 `invite_used`, `invite_revoked`, `invite_expired`.",
  responses: { 200: json(inviteSchema, "The invitation.") },
});
