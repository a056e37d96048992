import { syncAppConfigRoute } from "../../shared/api/app-configs.ts";
import { createAppRoute } from "../../shared/api/apps.ts";
import { wasThere } from "../../shared/api/was-there.ts";
import type { CheckedConfig, CheckOptions } from "../../shared/app-config/check-config.ts";
import type { ConfigFolder } from "../../shared/app-config/config-folder.ts";
import type { ConfigChange } from "../../shared/app-config/diff-configs.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { version } from "../../shared/version.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { changeLine } from "./app-config-commands.ts";
import { findAppByName } from "./find-app.ts";
import { brandFlag, findBrands } from "./find-brands.ts";
import { syncOnChanges } from "./sync-on-changes.ts";
import {
  fetchFlags,
  showChecked,
  showNotices,
  strictFlag,
  type ToldFault,
  withFetch,
} from "./validate-app.ts";

export const syncApp = defineCommand({
  name: "app sync",
  summary:
    "Make a directory the active config of its app; the app is created if it does not exist.",
  details:
    "The config is checked here first, and sent only if nothing is wrong with it; folders of the directory that components are built from are sent with it. The changes are shown; a config that is already active does not create a version. With --watch, it is synced again whenever its files have changed, also after errors, until Ctrl-C.",
  ownsInterrupt: true,
  args: { folder: { summary: "The config's directory." } },
  flags: {
    "dry-run": { summary: "Show what would change, without changing anything." },
    brand: brandFlag,
    app: {
      value: "NAME",
      summary: "The app, where metadata.toml names none; else it is called as the directory.",
    },
    ...strictFlag,
    ...fetchFlags,
    watch: { short: "w", summary: "Sync again after each change of the directory, until Ctrl-C." },
  },
  examples: [
    { does: "Sync the example.", run: "svc app sync examples/app" },
    { does: "See what it would change first.", run: "svc app sync examples/app --dry-run" },
    { does: "With texts from URLs in it.", run: "svc app sync examples/app --fetch" },
    { does: "Keep the app as its directory is.", run: "svc app sync examples/app --watch" },
  ],
  run: async ({ args, flags, call, config, globals, screen }) => {
    const { appNameOf, openConfigFolder } = await import("./open-config-folder.ts");
    const open = async () => await withFetch(await openConfigFolder(args.folder), flags);
    const brands = await findBrands(config, { brand: flags.brand, profile: globals.profile });
    const { app, strict: isStrict } = flags;
    const appName = async () => app ?? (await appNameOf(args.folder));
    const syncing = {
      call,
      screen,
      title: args.folder,
      isDry: flags["dry-run"],
      check: async () => ({ appName: await appName(), isStrict, brands }),
      app,
    };
    if (!flags.watch) return await syncFolder(await open(), syncing);
    const { folder: title } = args;
    return await syncOnChanges({ screen, title, open, sync: (one) => syncFolder(one, syncing) });
  },
});

type Syncing = Pick<CommandCall, "call" | "screen"> & {
  readonly title: string;
  readonly isDry: boolean;
  readonly check: () => Promise<CheckOptions>;
  readonly app: string | undefined;
};

/** The exit code: that of failure where something is wrong with the config. */
async function syncFolder(folder: ConfigFolder, syncing: Syncing): Promise<number> {
  const { call, screen, title, isDry, app: asked } = syncing;
  const { checkConfigFolder } = await import("../../shared/app-config/check-config.ts");
  const { filesOfDocument } = await import("../../shared/app-config/files-of-document.ts");
  const checked = await checkConfigFolder(folder, await syncing.check());
  if (checked.config === undefined || checked.warnings.length > 0)
    showChecked(screen, checked, title);
  if (checked.config === undefined) return exitCodes.failed.code;
  const { document } = checked.config;
  const { name, display_name, description } = document.metadata;
  if (asked !== undefined && nameKey(name) !== nameKey(asked))
    throw new UsageError(`--app is ${asked}, but metadata.toml names the app ${name}.`);
  const found = await findAppByName(call, name);
  if (found === undefined && isDry) {
    showNotices(screen, checked.notices);
    screen.say(`There is no app ${name} yet: this would create it.`);
    return exitCodes.ok.code;
  }
  const app =
    found ?? (await call(createAppRoute, { body: { name, display_name, description } })).body;
  const { text, body, ...answer } = await call(syncAppConfigRoute, {
    params: { app_id: app.id },
    query: { dry_run: isDry ? "true" : undefined, cli_version: version },
    ...(await bodyOf(filesOfDocument(document), checked.sources)),
  });
  showNotices(screen, noticesOf(body.notices, checked.notices));
  if (screen.format === "json" || screen.format === "ndjson") screen.out(text);
  else if (screen.format === "name") screen.out("id" in body ? body.id : app.id);
  else for (const change of body.changes) screen.out(changeLine(change));
  const { length: count } = body.changes;
  if (!("id" in body))
    screen.say(`${name}: ${count} change${count === 1 ? "" : "s"}, nothing is stored.`);
  else if (wasThere(answer)) screen.say(`${name}: version ${body.version} is already active.`);
  else {
    screen.say(`${name} (${app.id}): version ${body.version} is active.`);
    for (const line of buildsOf(name, body.changes)) screen.say(line);
  }
  return exitCodes.ok.code;
}

/** Where the builds are seen that a sync begins, if the org has a runner for builds. */
function buildsOf(name: string, changes: readonly ConfigChange[]): string[] {
  const changed = (of: string): boolean =>
    changes.some(({ section, change }) => section === of && change !== "removed");
  return [
    ...(changed("components") ? [`Its builds: svc build list --app ${name}`] : []),
    ...(changed("sandbox") ? [`Builds of its sandbox: svc sandbox builds ${name}`] : []),
  ];
}

/** The document alone, or an archive of it with the folders that components are built from. */
async function bodyOf(body: Record<string, unknown>, sources: CheckedConfig["sources"]) {
  if (sources.length === 0) return { body };
  const { packConfig } = await import("./pack-config.ts");
  const headers = { "content-type": "application/gzip" };
  return { body, bodyBytes: await packConfig(body, sources), headers };
}

/** What the broker tells, whose version counts, at the places here; an older one tells nothing of it. */
const noticesOf = (
  told: readonly ToldFault[] | undefined,
  here: readonly ToldFault[],
): readonly ToldFault[] =>
  told?.map((one) => here.find(({ detail }) => detail === one.detail) ?? one) ?? here;
