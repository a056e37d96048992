import { z } from "@hono/zod-openapi";
import { created, labelled, named, part } from "../resources/filters.ts";
import { instant, int, json, made, orNull, owned, text, word } from "../resources/members.ts";
import { type ItemOf, resource } from "../resources/resource.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { idParam } from "./id-param.ts";
import { toCome } from "./to-come.ts";

const texts = z.record(z.string(), z.string());
/** The name of an app, or of what an app has. */
export const nameShape = z
  .string()
  .regex(
    /^[a-z][a-z0-9_-]{0,62}$/,
    "Must begin with a lower-case letter and have at most 63 lower-case letters, digits, _ and -.",
  );
const appName = nameShape.describe("Unique in the org, where `-` and `_` are equal.");

const slackWebhook = toCome("Slack comes with a later version; metadata.toml keeps the URL");

export const newAppSchema = z
  .strictObject({
    name: appName,
    display_name: z.string().max(255).default(""),
    description: z.string().max(4096).default(""),
    slack_webhook_url: slackWebhook,
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
    label_colors: toCome("the config's metadata.toml says it"),
    slack_webhook_url: slackWebhook,
  })
  .partial()
  .openapi("AppChanges");
export type AppChanges = z.infer<typeof appChangesSchema>;

export const apps = resource({
  noun: "app",
  plural: "apps",
  schema: "App",
  tag: "Apps",
  prefix: "app",
  param: "app_id",
  path: "/v1/apps",
  under: [],
  surface: "control-plane",
  read: "apps.read",
  opens: ["list", "get"],
  bound: "list",
  members: {
    ...owned,
    name: text(),
    display_name: text(),
    description: text(),
    config_repo: text(),
    config_directory: text(),
    runner_type: orNull(text(), "By the active config; null without a runner.toml."),
    cloud_platform: word(
      ["aws", "azure", "gcp", ""],
      "By `runner_type`; empty where it is of none.",
    ),
    default_labels: json(texts, "Labels that every install has, by the active config."),
    label_colors: json(texts),
    links: json(texts),
    config_count: int(),
    status: word(["active"], "What is created is ready at once."),
    status_description: text(),
    status_v2: json(compositeStatusSchema),
    active_config_id: orNull(text(), "Null before the first config."),
    queue_id: text("Its lane of builds; empty where another queue has that name."),
    created_at: made.created_at,
    updated_at: instant(),
    created_by_id: made.created_by_id,
  },
  filters: {
    name: named("name", "Only the app of this name."),
    q: part("names", "Only apps whose name or display name contains this.", 100),
    labels: labelled(
      "default_labels",
      "Only apps that give their installs these labels: `k:v,k2=v2,k3`; without a value, or with `*`, the key exists.",
    ),
    ...created,
  },
});
export type App = ItemOf<typeof apps>;

export const appParams = apps.params;
export const appConfigParams = appParams.extend({ app_config_id: idParam("app_config_id", "cfg") });
