import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

export const appConfigChangeSchema = z
  .object({
    section: z.string().describe("A part of the config, such as `actions`."),
    name: z.string().describe("Of what in it; empty for a part that has no names."),
    change: z.enum(["added", "changed", "removed"]),
    members: z.array(z.string()).describe("Changed: which members."),
  })
  .openapi("AppConfigChange");

export const diffAppConfigsRoute = createRoute("diffAppConfigs", {
  get: "/v1/apps/{app_id}/configs/{app_config_id}/diff",
  rule: { surface: "control-plane", permission: "apps.read", ownPermit: true },
  tags: ["Apps"],
  summary: "Compare a config with another",
  query: z.object({
    old_config_id: z
      .string()
      .max(64)
      .optional()
      .describe("The config to compare with. Default: the one that was active before it."),
  }),
  responses: {
    200: json(
      z.object({
        config_id: z.string(),
        old_config_id: z
          .string()
          .nullable()
          .describe("With which it was compared; null: with none, so all is added."),
        summary: z.object({
          added: z.int(),
          changed: z.int(),
          removed: z.int(),
          has_changed: z.boolean(),
        }),
        changes: z.array(appConfigChangeSchema),
      }),
      "What changed.",
    ),
  },
});
