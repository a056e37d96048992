import { z } from "@hono/zod-openapi";
import { idParam } from "./id-param.ts";

const texts = z.record(z.string(), z.string());
/** The name of an app, or of what an app has. */
export const nameShape = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,62}$/,
    "Must begin with a lower-case letter and have at most 63 lower-case letters, digits, _ and -.",
  );
const appName = nameShape.describe("Unique in the org, where `-` and `_` are equal.");

export const appParams = z.object({ app_id: idParam("app_id", "app") });
export const appConfigParams = appParams.extend({ app_config_id: idParam("app_config_id", "cfg") });

export const newAppSchema = z
  .strictObject({
    name: appName,
    display_name: z.string().max(255).default(""),
    description: z.string().max(4096).default(""),
  })
  .openapi("NewApp", { example: { name: "shop", display_name: "Shop" } });
export type NewApp = z.infer<typeof newAppSchema>;

export const appChangesSchema = z
  .strictObject({
    name: appName,
    display_name: z.string().max(255),
    description: z.string().max(4096),
    config_repo: z.string().max(2048),
    config_directory: z.string().max(1024),
  })
  .partial()
  .openapi("AppChanges");
export type AppChanges = z.infer<typeof appChangesSchema>;

export const appSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    name: z.string(),
    display_name: z.string(),
    description: z.string(),
    config_repo: z.string(),
    config_directory: z.string(),
    runner_type: z
      .string()
      .nullable()
      .describe("By the active config; null without a runner.toml."),
    default_labels: texts.describe("Labels that every install has, by the active config."),
    label_colors: texts,
    links: texts,
    config_count: z.int(),
    active_config_id: z.string().nullable().describe("Null before the first config."),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    created_by_id: z.string(),
  })
  .openapi("App");
export type App = z.infer<typeof appSchema>;
