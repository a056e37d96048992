import {
  deleteComponentRoute,
  listComponentsRoute,
  mergeComponentLabelsRoute,
  removeComponentLabelsRoute,
} from "../../../shared/api/components.ts";
import { UsageError } from "../../../shared/command-line/usage-error.ts";
import { buildComponent } from "../../builds/build-component.ts";
import { type Command, defineCommand } from "../../command.ts";
import { readPairs } from "../../flags/read-pairs.ts";
import { defineList } from "../../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../../lists/listing-pages.ts";
import { printLabels } from "../../output/labels.ts";
import { printItem } from "../../output/print.ts";
import { printGraph } from "../app-config-commands.ts";
import { appArgs, findApp } from "../find-app.ts";
import { componentDetails } from "./component-view.ts";
import { findComponent } from "./find-component.ts";
import { partLine } from "./part-view.ts";

const args = { ...appArgs, component: { summary: "The component's name or id." } } as const;

const listComponents = defineList({
  name: "component list",
  summary: "List an app's components, by their names.",
  args: appArgs,
  flags: {
    label: { value: "KEY[=VALUE],…", summary: "Only components with all these labels." },
    query: { value: "TEXT", summary: "Only those with this text in the name." },
  },
  examples: [{ does: "List the components of an app.", run: "svc component list greeter" }],
  view: partLine,
  empty: "No components found. Add one to the app's config: components/NAME.toml",
  read: async ({ args: given, flags: { label: labels, query: q }, call, page }) => {
    const params = { app_id: (await findApp(call, given.app)).body.id };
    const query = { labels, q, ...pagesOfListing(page) };
    return pageOfListing(await call(listComponentsRoute, { params, query }));
  },
});

const getComponent = defineCommand({
  name: "component get",
  summary: "Show a component, and what the app's active config says of it.",
  args,
  examples: [{ does: "Show a component.", run: "svc component get greeter web" }],
  run: async ({ args: given, call, screen }) => {
    printItem(screen, (await findComponent(call, given)).found, componentDetails);
  },
});

const labelComponent = defineCommand({
  name: "component labels",
  summary: "Show a component's labels, or change some of them.",
  args,
  flags: {
    set: { value: "KEY=VALUE", isRepeatable: true, summary: "Set a label; repeatable." },
    unset: { value: "KEY", isRepeatable: true, summary: "Remove a label; repeatable." },
  },
  examples: [{ does: "Set one.", run: "svc component labels greeter web --set team=web" }],
  run: async ({ args: given, flags, call, screen }) => {
    const set = readPairs("--set", flags.set);
    const { found, params } = await findComponent(call, given);
    let { labels } = found.body;
    if (Object.keys(set).length > 0)
      ({ labels } = (
        await call(mergeComponentLabelsRoute, { params, body: { labels: set } })
      ).body);
    const keys = [...flags.unset];
    if (keys.length > 0)
      ({ labels } = (await call(removeComponentLabelsRoute, { params, body: { keys } })).body);
    printLabels(screen, labels);
  },
});

const deleteComponent = defineCommand({
  name: "component delete",
  summary: "Delete a component that no active or installed config uses.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete a component.", run: "svc component delete greeter web --yes" }],
  run: async ({ args: given, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a component cannot be undone. To confirm, add --yes.");
    const { found, params } = await findComponent(call, given);
    await call(deleteComponentRoute, { params });
    screen.say(`The component ${found.body.name} (${found.body.id}) is deleted.`);
  },
});

const showGraph = defineCommand({
  name: "component graph",
  summary: "Show the order of an app's components, and what needs what, by its active config.",
  details: "For another config: svc app config graph APP CONFIG.",
  args: appArgs,
  examples: [{ does: "Show what needs what.", run: "svc component graph greeter" }],
  run: async ({ args: given, call, screen }) => await printGraph({ call, screen }, given),
});

/** The commands of components, in the order of help. */
export const componentCommands: readonly Command[] = [
  listComponents,
  getComponent,
  buildComponent,
  showGraph,
  labelComponent,
  deleteComponent,
];

/** The same as they were called before they had a noun of their own. */
export const appComponentCommands: readonly Command[] = componentCommands
  .filter(({ name }) => name !== buildComponent.name && name !== showGraph.name)
  .map((command) => ({
    ...command,
    name: `app ${command.name}`,
    examples: command.examples.map(({ does, run }) => ({
      does,
      run: run.replace("svc component", "svc app component"),
    })),
  }));
