import { z } from "@hono/zod-openapi";
import { compositeStatusSchema } from "./composite-status.ts";

/** The status of what is ready as soon as it is there. */
export const activeStatus = {
  status: z.literal("active"),
  status_description: z.string(),
  status_v2: compositeStatusSchema,
} as const;

/** What answers tell of components and of runbooks alike. */
export const namedPartMembers = {
  id: z.string(),
  app_id: z.string(),
  name: z.string(),
  ...activeStatus,
  labels: z.record(z.string(), z.string()).describe("Its own, and those of the active config."),
  config_id: z
    .string()
    .nullable()
    .describe("Its config of the active config; null where that has it not."),
  app_config_id: z
    .string()
    .nullable()
    .describe("The active config, where that has it; null where it has it not."),
  config: z.record(z.string(), z.unknown()).nullable().describe("What that config says of it."),
  created_at: z.iso.datetime(),
  created_by_id: z.string(),
  updated_at: z.iso.datetime(),
};
const partSchema = z.object(namedPartMembers);
export type ShownPart = z.infer<typeof partSchema>;
