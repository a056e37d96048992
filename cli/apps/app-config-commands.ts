import { diffAppConfigsRoute } from "../../shared/api/app-config-diff.ts";
import {
  appConfigStatuses,
  type AppConfigVersion,
  type WholeAppConfigVersion,
  getAppConfigGraphRoute,
  getAppConfigVersionRoute,
  getLatestAppConfigRoute,
  listAppConfigsRoute,
} from "../../shared/api/app-configs.ts";
import type { ConfigChange } from "../../shared/app-config/diff-configs.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import { printItem, type View } from "../output/print.ts";
import { appArgs, findApp, toPage } from "./find-app.ts";

const nameOf = (config: AppConfigVersion): string => config.id;

const configLine: View<AppConfigVersion> = {
  nameOf,
  columns: {
    ID: nameOf,
    VERSION: ({ version }) => String(version),
    STATUS: ({ status }) => status,
    CHECKSUM: ({ checksum }) => checksum.slice(0, 12),
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

const configDetails: View<WholeAppConfigVersion> = {
  nameOf,
  columns: {
    config: nameOf,
    app: ({ app_id: app }) => app,
    version: ({ version }) => String(version),
    status: ({ status }) => status,
    checksum: ({ checksum }) => checksum,
    created: ({ created_at }) => formatInstant(created_at),
    document: ({ document }) => (document === undefined ? "" : JSON.stringify(document, null, 2)),
  },
};

const args = {
  ...appArgs,
  config: { summary: "The config's id (default: the active one).", isOptional: true },
} as const;

export const listAppConfigs = defineList({
  name: "app config list",
  summary: "List an app's configs, newest first.",
  args: appArgs,
  flags: {
    status: { value: "STATUS", choices: appConfigStatuses, summary: "Only configs in it." },
  },
  examples: [{ does: "List the versions of an app.", run: "svc app config list greeter" }],
  view: configLine,
  empty: "No configs found. Sync one: svc app sync DIR",
  read: async ({ args, flags: { status }, call, page }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const query = { status, limit: page.limit, cursor: page.cursor ?? "" };
    return toPage(await call(listAppConfigsRoute, { params, query }));
  },
});

export const getAppConfig = defineCommand({
  name: "app config get",
  summary: "Show one of an app's configs.",
  args,
  flags: { document: { summary: "With the complete config, as JSON." } },
  examples: [
    { does: "Show the active one completely.", run: "svc app config get greeter --document" },
  ],
  run: async ({ args, flags, call, screen }) => {
    const app_id = (await findApp(call, args.app)).body.id;
    const query = flags.document ? ({ recurse: "true" } as const) : {};
    const answer =
      args.config === undefined
        ? await call(getLatestAppConfigRoute, { params: { app_id }, query })
        : await call(getAppConfigVersionRoute, {
            params: { app_id, app_config_id: args.config },
            query,
          });
    printItem(screen, answer, configDetails);
  },
});

export const showConfigGraph = defineCommand({
  name: "app config graph",
  summary:
    "Show the dependency graph of an app's config: the order of its components, and what needs what.",
  args,
  examples: [{ does: "Show what needs what.", run: "svc app config graph greeter" }],
  run: async ({ args, call, screen }) => await printGraph({ call, screen }, args),
});

/** Shows what needs what in a config of an app: its active one, unless one is named. */
export async function printGraph(
  { call, screen }: Pick<CommandCall, "call" | "screen">,
  { app, config }: { readonly app: string; readonly config?: string | undefined },
): Promise<void> {
  const app_id = (await findApp(call, app)).body.id;
  const id = config ?? (await call(getLatestAppConfigRoute, { params: { app_id } })).body.id;
  const params = { app_id, app_config_id: id };
  const { text, body } = await call(getAppConfigGraphRoute, { params });
  if (screen.format === "json" || screen.format === "ndjson") {
    screen.out(text);
    return;
  }
  for (const name of body.order) screen.out(`component ${name}`);
  for (const { from, to } of body.edges) screen.out(`${from.type} ${from.name} needs ${to}`);
  if (body.order.length + body.edges.length === 0)
    screen.say("This config has no components, and nothing needs one.");
}

export const diffAppConfigs = defineCommand({
  name: "app diff",
  summary: "Show the differences between two configs of an app.",
  args,
  flags: {
    against: {
      value: "CONFIG",
      summary: "The config to compare with. Default: the one that was active before it.",
    },
  },
  examples: [{ does: "Show what the active config changed.", run: "svc app diff greeter" }],
  run: async ({ args, flags, call, screen }) => {
    const app_id = (await findApp(call, args.app)).body.id;
    const id = args.config ?? (await call(getLatestAppConfigRoute, { params: { app_id } })).body.id;
    const params = { app_id, app_config_id: id };
    const { text, body } = await call(diffAppConfigsRoute, {
      params,
      query: { old_config_id: flags.against },
    });
    if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
    else for (const change of body.changes) screen.out(changeLine(change));
    if (body.changes.length === 0) screen.say("No differences.");
  },
});

const signs = { added: "+", changed: "~", removed: "-" } as const;

/** A change as a line: `~ actions greet (steps)`. */
export function changeLine({ section, name, change, members }: ConfigChange): string {
  const which = members.length === 0 ? "" : ` (${members.join(", ")})`;
  return `${signs[change]} ${[section, name].filter((word) => word !== "").join(" ")}${which}`;
}
