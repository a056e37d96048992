import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

export const createSignInLinkRoute = createRoute("createSignInLink", {
  post: "/v1/sign-in-links",
  rule: { surface: "operator", permission: "tokens.own", idempotent: "once" },
  tags: ["Access"],
  summary: "Create a link that signs a browser in to the dashboard",
  description:
    "The first person to press the button on its page within 15 minutes is signed in as the caller, with the permissions of the caller's token. A runner's token cannot sign in.",
  responses: {
    201: json(
      z
        .object({
          path: z.string().describe("The path and query, below the broker's URL. It is a secret."),
          expires_at: z.iso.datetime(),
        })
        .openapi("SignInLink"),
      "The link. It can be used once.",
    ),
  },
});
