import { type ShownAction } from "../../../shared/api/actions.ts";
import {
  deleteActionRoute,
  getActionRoute,
  listActionsRoute,
  mergeActionLabelsRoute,
  removeActionLabelsRoute,
  updateActionRoute,
} from "../../../shared/api/app-actions.ts";
import { addActionRoute } from "../../../shared/api/named-parts.ts";
import { wasThere } from "../../../shared/api/was-there.ts";
import { UsageError } from "../../../shared/command-line/usage-error.ts";
import { type Caller, defineCommand } from "../../command.ts";
import { readPairs } from "../../flags/read-pairs.ts";
import { defineList } from "../../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../../lists/listing-pages.ts";
import { formatAge, formatInstant } from "../../output/format-age.ts";
import { printLabels } from "../../output/labels.ts";
import { printItem, type View } from "../../output/print.ts";
import { appArgs, findApp } from "../find-app.ts";
import { findPart } from "./find-part.ts";

const nameOf = ({ name }: ShownAction): string => name;
const configOf = ({ app_config_id: id }: ShownAction): string => id ?? "not in the active config";
const labelsOf = (separator: string) => (action: ShownAction) =>
  Object.entries(action.labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(separator);

const actionLine: View<ShownAction> = {
  nameOf,
  columns: {
    NAME: nameOf,
    ID: ({ id }) => id,
    LABELS: labelsOf(", "),
    CONFIG: configOf,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

const actionDetails: View<ShownAction> = {
  nameOf,
  columns: {
    name: nameOf,
    id: ({ id }) => id,
    app: ({ app_id: app }) => app,
    config: configOf,
    labels: labelsOf("\n"),
    created: ({ created_at }) => formatInstant(created_at),
    members: ({ config }) => (config === null ? "" : JSON.stringify(config, null, 2)),
  },
};

const args = { ...appArgs, action: { summary: "The action's name or id." } } as const;

async function findAction(call: Caller, given: { readonly app: string; readonly action: string }) {
  const { id: app_id, name: app } = (await findApp(call, given.app)).body;
  const wanted = { kind: "action", prefix: "act", app, given: given.action } as const;
  const found = await findPart(wanted, {
    read: (id) => call(getActionRoute, { params: { app_id, action_id: id } }),
    byName: async (name) => {
      const query = { name, limit: "1", cursor: "" };
      return pageOfListing(await call(listActionsRoute, { params: { app_id }, query }));
    },
  });
  return { found, params: { app_id, action_id: found.body.id } };
}

export const listAppActions = defineList({
  name: "app action list",
  summary: "List an app's actions, by their names.",
  args: appArgs,
  flags: {
    label: { value: "KEY[=VALUE],…", summary: "Only actions with all these labels." },
    query: { value: "TEXT", summary: "Only actions with this text in the name." },
  },
  examples: [{ does: "List the actions of an app.", run: "svc app action list greeter" }],
  view: actionLine,
  empty: "No actions found. Add one to the app's config: actions/NAME.toml",
  read: async ({ args, flags: { label: labels, query: q }, call, page }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const query = { labels, q, ...pagesOfListing(page) };
    return pageOfListing(await call(listActionsRoute, { params, query }));
  },
});

export const getAppAction = defineCommand({
  name: "app action get",
  summary: "Show an action, and what the app's active config says of it.",
  args,
  examples: [{ does: "Show an action.", run: "svc app action get greeter greet" }],
  run: async ({ args, call, screen }) => {
    printItem(screen, (await findAction(call, args)).found, actionDetails);
  },
});

export const createAppAction = defineCommand({
  name: "app action create",
  summary: "Name an action of an app, before a config says what it does.",
  details: "Not needed for actions of a config: svc app sync creates them.",
  args: { ...appArgs, action: { summary: "The action's name." } },
  examples: [{ does: "Name an action.", run: "svc app action create greeter greet" }],
  run: async ({ args, call, screen }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const made = await call(addActionRoute, { params, body: { name: args.action } });
    printItem(screen, made, actionDetails);
    if (wasThere(made)) screen.say("It was there already.");
  },
});

export const updateAppAction = defineCommand({
  name: "app action update",
  summary: "Rename an action that no active or installed config uses.",
  args,
  flags: { name: { value: "NAME", isRequired: true, summary: "Its new name." } },
  examples: [
    { does: "Rename an action.", run: "svc app action update greeter greet --name welcome" },
  ],
  run: async ({ args, flags: { name }, call, screen }) => {
    const { params } = await findAction(call, args);
    printItem(screen, await call(updateActionRoute, { params, body: { name } }), actionDetails);
  },
});

export const labelAppAction = defineCommand({
  name: "app action labels",
  summary: "Show an action's labels, or change some of them.",
  args,
  flags: {
    set: { value: "KEY=VALUE", isRepeatable: true, summary: "Set a label; repeatable." },
    unset: { value: "KEY", isRepeatable: true, summary: "Remove a label; repeatable." },
  },
  examples: [{ does: "Set one.", run: "svc app action labels greeter greet --set team=web" }],
  run: async ({ args, flags, call, screen }) => {
    const set = readPairs("--set", flags.set);
    const { found, params } = await findAction(call, args);
    let { labels } = found.body;
    if (Object.keys(set).length > 0)
      ({ labels } = (await call(mergeActionLabelsRoute, { params, body: { labels: set } })).body);
    const keys = [...flags.unset];
    if (keys.length > 0)
      ({ labels } = (await call(removeActionLabelsRoute, { params, body: { keys } })).body);
    printLabels(screen, labels);
  },
});

export const deleteAppAction = defineCommand({
  name: "app action delete",
  summary: "Delete an action that no active or installed config uses; its runs stay.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete an action.", run: "svc app action delete greeter greet --yes" }],
  run: async ({ args, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting an action cannot be undone. To confirm, add --yes.");
    const { found, params } = await findAction(call, args);
    await call(deleteActionRoute, { params });
    screen.say(`The action ${found.body.name} (${found.body.id}) is deleted.`);
  },
});
