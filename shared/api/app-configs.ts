import { z } from "@hono/zod-openapi";
import { appConfigChangeSchema } from "./app-config-diff.ts";
import { jsonOrArchiveBody } from "./archive-body.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";
import { inTwoShapes, twoShapesText } from "./two-shapes.ts";
import { typedConfigMembers } from "./typed-config-members.ts";

const tags = ["Apps"];
const base = "/v1/apps/{app_id}/configs";
const path = `${base}/{app_config_id}` as const;
const reading = { surface: "control-plane", permission: "apps.read" } as const;

export const appConfigStatuses = ["active", "pending", "syncing", "error", "outdated"] as const;

const warningSchema = z
  .object({ file: z.string(), pointer: z.string(), code: z.string(), detail: z.string() })
  .openapi("AppConfigWarning");

const noticeSchema = z
  .object({
    file: z.string(),
    line: z.int().nullable().describe("Null in a JSON document, which has none."),
    column: z.int().nullable(),
    pointer: z.string(),
    code: z.string().describe("`not_deployed_yet`: it is kept and shown, and nothing acts on it."),
    detail: z.string(),
  })
  .openapi("AppConfigNotice");
const notices = z
  .array(noticeSchema)
  .describe("On what of it this version does not act; nothing is wrong with it.");

const members = {
  id: z.string(),
  app_id: z.string(),
  org_id: z.string(),
  version: z.int(),
  status: z.enum(appConfigStatuses),
  status_description: z.string(),
  status_v2: compositeStatusSchema,
  plan_only: z.boolean().describe("Whether it is only checked and never becomes active."),
  checksum: z
    .string()
    .describe("Of the config, independent of file names; empty until it is complete."),
  cli_version: z.string(),
  created_at: z.iso.datetime(),
  created_by_id: z.string(),
};
/** A config without its document. */
export const configSchema = z.object(members).openapi("AppConfig");
/** What is read out of the document, once it is whole. */
const contents = {
  readme: z.string().describe("Of the app, as the config has it: Markdown, perhaps a template."),
  action_ids: z.array(z.string()).describe("Of the actions that it has, but for deleted ones."),
  component_ids: z.array(z.string()).describe("Of its components."),
  runbook_ids: z.array(z.string()).describe("Of its runbooks."),
};
const wholeSchema = z
  .object({
    ...members,
    ...contents,
    state: z.string().describe("What a client keeps with it for itself; empty unless one does."),
    warnings: z
      .array(warningSchema)
      .describe("What is odd in it, as its check found it; empty until it is complete."),
    notices,
    document: z
      .record(z.string(), z.unknown())
      .optional()
      .describe("With `recurse=true`: the config by its files, once it is complete."),
    ...typedConfigMembers.shape,
    errors: z
      .array(z.record(z.string(), z.unknown()))
      .optional()
      .describe("Why a config in parts is `error`; also in `status_v2.metadata`."),
  })
  .openapi("WholeAppConfig");
export type AppConfigVersion = z.infer<typeof configSchema>;
export type WholeAppConfigVersion = z.infer<typeof wholeSchema>;

const syncedSchema = z
  .object({
    ...members,
    ...contents,
    changes: z.array(appConfigChangeSchema).describe("Against the config that was active before."),
    warnings: z.array(warningSchema),
    notices,
  })
  .openapi("SyncedAppConfig");

const previewSchema = z
  .object({
    checksum: z.string(),
    changes: z.array(appConfigChangeSchema).describe("Against the active config."),
    warnings: z.array(warningSchema),
    notices,
  })
  .openapi("AppConfigPreview");

export const syncAppConfigRoute = createRoute("syncAppConfig", {
  post: `${base}/sync`,
  rule: {
    surface: "control-plane",
    permission: "apps.write",
    maxBody: "16 MiB",
    heldAs: "configs",
    archive: true,
    ownPermit: true,
    idempotent: "replay",
  },
  tags,
  summary: "Sync an app's config",
  description:
    "The JSON document of a config: the tree of its directory, keyed by the files' names (docs/app-config.md); or the directory itself as a tar.gz " +
    "(application/gzip, application/x-gzip or application/x-tar+gzip) of at most 2,000 files and 16 MiB when it is unpacked. It is checked and activated as a whole. " +
    "200 if this config is already active, and for `dry_run`, which stores nothing. 422 with all `errors`, each with its `file`. With " +
    "`base_config_id`, 409 `config_changed` if another config is active. 429 `busy` when one of the org is being checked and two wait.",
  query: z.object({
    dry_run: z
      .enum(["true", "false"])
      .optional()
      .describe("Returns what would change, without storing anything."),
    base_config_id: z
      .string()
      .max(64)
      .optional()
      .describe("The config that the caller saw as active."),
    cli_version: z.string().max(64).optional().describe("Kept with the config."),
  }),
  body: jsonOrArchiveBody(z.record(z.string(), z.unknown()).openapi("AppConfigDocument")),
  responses: {
    201: json(syncedSchema, "The config, which is active now."),
    200: json(
      z.union([syncedSchema, previewSchema]),
      "The active config, or what a sync would do.",
    ),
  },
});

export const listAppConfigsRoute = createRoute("listAppConfigs", {
  get: base,
  rule: reading,
  tags,
  summary: "List an app's configs",
  description: listingDescription,
  query: z.object({
    ...listingQuery,
    status: z.enum(appConfigStatuses).optional().describe("In which status."),
    ...createdQuery,
  }),
  responses: { 200: json(listingOf(configSchema), "Configs.") },
});

const wholeQuery = z.object({
  recurse: z.enum(["true", "false"]).optional().describe("With the whole document."),
});

export const getAppConfigVersionRoute = createRoute("getAppConfigVersion", {
  get: path,
  rule: reading,
  tags,
  summary: "Read a config",
  query: wholeQuery,
  responses: { 200: json(wholeSchema, "The config.") },
});

export const getLatestAppConfigRoute = createRoute("getLatestAppConfig", {
  get: "/v1/apps/{app_id}/latest-config",
  rule: reading,
  tags,
  summary: "Read the active config",
  description: "404 `app_config_not_found` before the first.",
  query: wholeQuery,
  responses: { 200: json(wholeSchema, "The config.") },
});

const graphSchema = z
  .object({
    order: z.array(z.string()).describe("Components, each after those that it needs."),
    edges: z.array(
      z.object({
        from: z.object({ type: z.enum(["component", "action"]), name: z.string() }),
        to: z.string().describe("The component that it needs."),
        declared: z.boolean().describe("Listed, and not only referred to."),
      }),
    ),
  })
  .openapi("AppConfigGraph");

export const getAppConfigGraphRoute = createRoute("getAppConfigGraph", {
  get: `${path}/graph`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "Read the dependency graph of a config",
  description: twoShapesText,
  responses: {
    200: json(
      inTwoShapes(graphSchema, z.string().describe("In the language of Graphviz.")),
      "The graph.",
    ),
  },
});

export const activateAppConfigRoute = createRoute("activateAppConfig", {
  post: `${path}/sync`,
  rule: { surface: "control-plane", permission: "apps.write", ownPermit: true },
  tags,
  summary: "Check and activate a config in parts",
  description:
    "As `PATCH` of the config with the status `active`. 422 with all `errors`, each with its `file`; the config is `error` then and keeps them. If an equal config is already active, this one becomes `outdated` (`Idempotent-Replayed`). 409 `config_sealed` for one that is not pending or syncing any more.",
  responses: { 202: json(configSchema, "The config: its check is over.") },
});
