import { z } from "@hono/zod-openapi";
import { accountTypes } from "./account-types.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { roleSchema } from "./roles.ts";
import { userJourneySchema } from "./user-journey.ts";

/** What accounts have wherever they are shown. */
export const accountMembers = {
  id: z.string(),
  account_type: z.enum(accountTypes),
  name: z.string(),
  email: z.string(),
  subject: z.string(),
  org_ids: z.array(z.string()).describe("Those of its orgs that the caller's account is in, too."),
  roles: z.array(roleSchema).describe("Those that it has in this org."),
  user_journeys: z.array(userJourneySchema).describe("Of the caller's own account alone."),
  created_at: z.iso.datetime(),
  created_by_id: z.string(),
  updated_at: z.iso.datetime(),
};

/** An account as command lines and SDKs know it. */
export const accountSchema = z
  .object({
    ...accountMembers,
    permissions: z
      .record(z.string(), z.record(z.string(), z.literal("allow")))
      .describe("For each org, by its id, the permissions there; each is `allow`."),
  })
  .openapi("Account");
export type Account = z.infer<typeof accountSchema>;

const own = {
  rule: { surface: "operator", permission: "tokens.own", bound: true },
  tags: ["Access"],
} as const;
const description =
  "`permissions` are what the token may do, in each org that it reaches. A token that acts for itself shows the account that limits it, " +
  "else itself: its own id and name.";
const responses = { 200: json(accountSchema, "The account.") };

export const getOwnAccountRoute = createRoute("getOwnAccount", {
  ...own,
  get: "/v1/account",
  summary: "Get the account of the request's token",
  description,
  responses,
});

export const getCurrentUserRoute = createRoute("getCurrentUser", {
  ...own,
  get: "/v1/general/current-user",
  summary: "Get the account of the request's token, as `GET /v1/account` does",
  description,
  responses,
});

export const getAuthMeRoute = createRoute("getAuthMe", {
  ...own,
  get: "/v1/auth/me",
  summary: "Get the account of the request's token, with who vouches for it",
  description,
  responses: {
    200: json(
      accountSchema
        .extend({
          identities: z
            .array(z.object({ provider_type: z.literal("oidc"), name: z.string() }))
            .describe("The sign-in providers where the person signed in."),
        })
        .openapi("AuthMeResponse"),
      "The account.",
    ),
  },
});

export const validateAuthRoute = createRoute("validateAuth", {
  ...own,
  get: "/v1/auth/validate",
  summary: "Tell whether the request's token is valid",
  description: "401 for one that is not.",
  responses: { 200: json(z.object({ valid: z.literal(true) }), "It is.") },
});
