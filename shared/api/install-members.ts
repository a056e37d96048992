import { z } from "@hono/zod-openapi";
import { json, text, word } from "../resources/members.ts";

/** What its health checks say. */
export const healthMembers = {
  composite_health_status: word(
    ["healthy", "degraded", ""],
    "The worst of its health checks; empty while none has said anything.",
  ),
  composite_health_status_description: text(),
  health_checks: json(
    z.array(
      z.object({
        action: z.string(),
        status: z.enum(["healthy", "degraded"]),
        run_id: z.string(),
        at: z.iso.datetime(),
        detail: z.string(),
      }),
    ),
    "What the last run of each action with `is_healthcheck` said.",
  ),
} as const;

/** What is deployed in it. */
export const deployedMembers = {
  sandbox_status: text("That of the newest run of its sandbox; empty before the first."),
  sandbox_status_description: text(),
  component_statuses: json(
    z.record(z.string(), z.string()),
    "Of each of its components, by the component's id; empty before its first deploy.",
  ),
} as const;
