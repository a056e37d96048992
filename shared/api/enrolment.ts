import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";
import { tokenWithSecretSchema } from "./tokens.ts";

export const createEnrolmentTokenRoute = createRoute("createEnrolmentToken", {
  post: "/v1/runners/{runner_id}/enrolment-tokens",
  rule: {
    surface: "operator",
    permission: "runners.enrol",
    idempotent: "once",
    operatesRunner: true,
  },
  tags: ["Runners"],
  summary: "Create an enrolment token for an agent",
  description:
    "It is valid for one hour and can only be used to enrol. It becomes invalid when the runner token that it was exchanged for is first used.",
  responses: {
    201: json(
      tokenWithSecretSchema,
      "The enrolment token with its secret, which is shown only once.",
    ),
  },
});

export const createBootstrapTokenRoute = createRoute("createRunnerBootstrapToken", {
  post: "/v1/installs/{install_id}/runner-bootstrap-token",
  rule: {
    surface: "operator",
    permission: "runners.enrol",
    idempotent: "once",
    operatesRunner: true,
  },
  tags: ["Installs"],
  summary: "Create an enrolment token for the agent of an install's runner",
  description:
    "It is valid for one hour and can only be used to enrol. It becomes invalid when the runner token that it was exchanged for is first used.",
  responses: {
    201: json(
      tokenWithSecretSchema
        .extend({ token: z.string().describe("The same as `secret`.") })
        .openapi("NewBootstrapToken"),
      "The enrolment token with its secret, which is shown only once.",
    ),
  },
});

export const enrolRoute = createRoute("enrol", {
  post: "/v1/enrol",
  rule: { surface: "open", permission: null, audit: "act" },
  tags: ["Runners"],
  summary: "Exchange an enrolment token for a runner token",
  description:
    "`Authorization: Bearer svc_boot_…`. If the answer was lost, the request can be repeated until the runner token is first used: it returns a new token and revokes the one before. Of several requests at once, one succeeds. After that the answer is 401. The agent stores and rotates the new token.",
  responses: {
    201: json(tokenWithSecretSchema, "The runner token with its secret, which is shown only once."),
  },
});
