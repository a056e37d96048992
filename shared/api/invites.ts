import { z } from "@hono/zod-openapi";
import { secondNs } from "../duration.ts";
import { roleTypes } from "../permissions.ts";
import {
  instant,
  json as jsonMember,
  list,
  made,
  orAbsent,
  orNull,
  owned,
  text,
  word,
} from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { givenRoles } from "./accounts.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { durationInput } from "./duration.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";

const tags = ["Access"];
const hourNs = 3600 * secondNs;
const longestNs = 30 * 24 * hourNs;

export const inviteStatuses = ["pending", "accepted", "revoked", "expired"] as const;

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
    account_id: text("Empty as long as nobody has accepted an invitation to an address."),
    email: text("The address that it is to; empty where it is to an account."),
    role_ids: list(z.string()),
    role_type: orAbsent(
      word(roleTypes, "Of the first of its roles; left out once that is deleted."),
    ),
    status: word(inviteStatuses, "Other clients know no expired one: they are told pending."),
    status_v2: jsonMember(compositeStatusSchema),
    expires_at: instant(),
    accepted_at: orNull(instant()),
    revoked_at: orNull(instant()),
    ...made,
    updated_at: instant(),
  },
  filters: {},
});
export type Invite = ItemOf<typeof invites>;
const { path, itemSchema: inviteSchema } = invites;

const toldSchema = inviteSchema
  .extend({
    secret: z
      .string()
      .optional()
      .describe("Of an invitation to an address: what accepts it. It is told this once."),
  })
  .openapi("WholeOrgInvite");
const address = z
  .string()
  .max(254)
  .regex(/^[^\s@]+@[^\s@]+$/, {
    error: "Must be an email address, such as ann@example.com.",
    abort: true,
  })
  .refine((text) => !/\p{C}/u.test(text), "Must be an email address, such as ann@example.com.");

const lives = durationInput({ minNs: hourNs, maxNs: longestNs })
  .default(7 * 24 * hourNs)
  .describe("How long it can be accepted: 1 hour to 30 days; default 7 days.");

export const createInviteRoute = createRoute("createInvite", {
  post: path,
  rule: { surface: "operator", permission: "accounts.write", idempotent: "replay" },
  tags,
  summary: "Invite an account of another org, or whoever has an address",
  description:
    "An account accepts with its own token: `POST /v1/account/invites/{invite_id}/accept`. An invitation to an address is accepted so, too, by whoever has an account here and the `secret` of this answer: " +
    "no mail is sent, and that the address is theirs is not proven, so hand it to nobody else. 409 `already_member`, `already_invited`.",
  body: z
    .strictObject({
      email: address.optional().describe("To whom: an address, or"),
      account_id: z
        .string()
        .max(64)
        .optional()
        .describe("an account, as `GET /v1/account` shows it to its owner."),
      roles: givenRoles.min(1).optional(),
      role_type: z
        .enum(roleTypes)
        .optional()
        .describe(
          "One role, in place of `roles`. An address gets org_read_only where neither is given.",
        ),
      expires_in: lives,
    })
    .check(({ value, issues }) => {
      const tell = (member: string, code: string, message: string) =>
        issues.push({ code: "custom", input: value, path: [member], message, params: { code } });
      const { account_id: account, email, roles, role_type: role } = value;
      if (account === undefined && email === undefined)
        tell("account_id", "required", "Must be given, or else email.");
      if (account !== undefined && email !== undefined)
        tell("email", "one_of", "Give either account_id or email.");
      const isChosen = roles !== undefined || role !== undefined;
      if ((roles !== undefined && role !== undefined) || (!isChosen && email === undefined))
        tell("roles", "one_of", "Give either roles or role_type.");
    }),
  responses: { 201: json(toldSchema, "The invitation.") },
});

export const resendInviteRoute = createRoute("resendInvite", {
  post: `${path}/{invite_id}/resend`,
  rule: { surface: "operator", permission: "accounts.write" },
  tags,
  summary: "Renew an invitation",
  description:
    "One to an address gets a new `secret`; its former is worth nothing any more. 409 `invite_used`, `invite_revoked`.",
  body: z.strictObject({ expires_in: lives }),
  responses: { 200: json(toldSchema, "The invitation.") },
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
    "From then on the token acts in that org too, by `X-Svc-Org-Id`. One to an address needs its secret, and that its sender may still give its roles. 403 `not_your_invite`, `no_account`; " +
    "409 `invite_used`, `invite_revoked`, `invite_expired`, `already_member`, `inviter_lacks_role`.",
  body: z.strictObject({
    secret: z.string().max(100).optional().describe("Of an invitation to an address."),
  }),
  responses: { 200: json(inviteSchema, "The invitation.") },
});
