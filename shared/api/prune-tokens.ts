import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

export const pruneTokensRoute = createRoute("pruneRunnerTokens", {
  post: "/v1/runners/{runner_id}/prune-tokens",
  rule: { surface: "operator", permission: "tokens.write" },
  tags: ["Runners"],
  summary: "Revoke the tokens that a runner no longer needs",
  description:
    "Of the runner's own and its enrolment tokens: those that are past their end, and those in whose place a rotation or an enrolment put one that has been used since and is valid. Never the token of the request, nor a valid one that was used in the last five minutes. 403 `wider_than_own` where one of them may do what the caller may not; then none is revoked. At most 200 at once: ask again while `invalidated_count` is 200.",
  responses: {
    200: json(
      z
        .object({ invalidated_count: z.int().describe("How many were revoked by this.") })
        .openapi("PruneTokensResponse"),
      "What was done.",
    ),
  },
});
