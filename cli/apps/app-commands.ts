import { apps } from "../../shared/api/app.ts";
import { deleteAppRoute } from "../../shared/api/apps.ts";
import { listAppLabelKeysRoute } from "../../shared/api/label-keys.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { defineList } from "../lists/define-list.ts";
import { printLabelKeys } from "../output/label-keys.ts";
import { printItem } from "../output/print.ts";
import { appDetails, appLine } from "./app-view.ts";
import { appArgs as args, findApp, toPage } from "./find-app.ts";

export const listApps = defineList({
  name: "app list",
  summary: "List apps, newest first.",
  flags: {
    label: {
      value: "KEY[=VALUE],…",
      summary: "Only apps that give their installs all these labels.",
    },
    query: { value: "TEXT", summary: "Only apps with this text in a name." },
  },
  examples: [{ does: "List the apps of the org.", run: "svc app list" }],
  view: appLine,
  empty: "No apps found. Start one: svc app init NAME",
  read: async ({ flags, call, page }) => {
    const { query: q, label: labels } = flags;
    const query = { q, labels, limit: page.limit, cursor: page.cursor ?? "" };
    return toPage(await call(apps.list, { query }));
  },
});

export const listAppLabelKeys = defineCommand({
  name: "app label-keys",
  summary: "List the keys of the labels that apps give their installs, with their values.",
  examples: [{ does: "List them.", run: "svc app label-keys" }],
  run: async ({ call, screen }) => {
    printLabelKeys(screen, await call(listAppLabelKeysRoute, {}));
  },
});

export const getApp = defineCommand({
  name: "app get",
  summary: "Show an app.",
  args,
  examples: [{ does: "Show an app by its name.", run: "svc app get greeter" }],
  run: async ({ args, call, screen }) => {
    printItem(screen, await findApp(call, args.app), appDetails);
  },
});

export const deleteApp = defineCommand({
  name: "app delete",
  summary: "Delete an app; its name is free again.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete an app.", run: "svc app delete greeter --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting an app cannot be undone. To confirm, add --yes.");
    const { body } = await findApp(call, args.app);
    await call(deleteAppRoute, { params: { app_id: body.id } });
    screen.say(`${body.name} (${body.id}) is deleted.`);
  },
});
