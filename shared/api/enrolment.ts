import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { idParam } from "./ids.ts";
import { json } from "./response.ts";
import { tokenWithSecretSchema } from "./tokens.ts";

export const createEnrolmentTokenRoute = createRoute({
  operationId: "createEnrolmentToken",
  rule: { surface: "operator", permission: "runners.enrol", idempotent: "once" },
  method: "post",
  path: "/v1/runners/{runner_id}/enrolment-tokens",
  tags: ["Runners"],
  summary: "Make a token that enrols an agent",
  description:
    "It lasts an hour and is spent when the token that it brought is first used. It can do nothing else.",
  request: { params: z.object({ runner_id: idParam("runner_id", "run") }) },
  responses: { 201: json(tokenWithSecretSchema, "The one-shot token and, this once, its secret.") },
});

export const enrolRoute = createRoute({
  operationId: "enrol",
  rule: { surface: "open", permission: null },
  method: "post",
  path: "/v1/enrol",
  tags: ["Runners"],
  summary: "Exchange a one-shot token for a runner's own",
  description:
    "`Authorization: Bearer svc_boot_…`. Asked again before the runner's token was used, because the answer was lost, it answers another one and revokes the former; of several requests at once one is answered. After that it is 401. The agent keeps the new token and rotates it.",
  responses: { 201: json(tokenWithSecretSchema, "The runner's token and, this once, its secret.") },
});
