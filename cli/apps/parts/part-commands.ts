import {
  getComponentRoute,
  getRunbookRoute,
  listComponentsRoute,
  listRunbooksRoute,
} from "../../../shared/api/named-parts.ts";
import { defineCommand } from "../../command.ts";
import { defineList } from "../../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../../lists/listing-pages.ts";
import { printItem } from "../../output/print.ts";
import { appArgs, findApp } from "../find-app.ts";
import { findPart } from "./find-part.ts";
import { partDetails, partLine } from "./part-view.ts";

const query = { value: "TEXT", summary: "Only those with this text in the name." } as const;
const one = { limit: "1", cursor: "" } as const;

export const listComponents = defineList({
  name: "app component list",
  summary: "List an app's components, by their names.",
  args: appArgs,
  flags: { query },
  examples: [{ does: "List the components of an app.", run: "svc app component list greeter" }],
  view: partLine,
  empty: "No components found. Add one to the app's config: components/NAME.toml",
  read: async ({ args, flags, call, page }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const asked = { q: flags.query, ...pagesOfListing(page) };
    return pageOfListing(await call(listComponentsRoute, { params, query: asked }));
  },
});

export const getComponent = defineCommand({
  name: "app component get",
  summary: "Show a component, and what the app's active config says of it.",
  args: { ...appArgs, component: { summary: "The component's name or id." } },
  examples: [{ does: "Show a component.", run: "svc app component get greeter web" }],
  run: async ({ args, call, screen }) => {
    const { id: app_id, name: app } = (await findApp(call, args.app)).body;
    const wanted = { kind: "component", prefix: "cmp", app, given: args.component } as const;
    const found = await findPart(wanted, {
      read: (id) => call(getComponentRoute, { params: { app_id, component_id: id } }),
      byName: async (name) => {
        const asked = { params: { app_id }, query: { ...one, name } };
        return pageOfListing(await call(listComponentsRoute, asked));
      },
    });
    printItem(screen, found, partDetails);
  },
});

const { TYPE: _, ...runbookColumns } = partLine.columns;

export const listRunbooks = defineList({
  name: "app runbook list",
  summary: "List an app's runbooks, by their names.",
  args: appArgs,
  flags: { query },
  examples: [{ does: "List the runbooks of an app.", run: "svc app runbook list greeter" }],
  view: { ...partLine, columns: runbookColumns },
  empty: "No runbooks found. Add one to the app's config: runbooks/NAME.toml",
  read: async ({ args, flags, call, page }) => {
    const params = { app_id: (await findApp(call, args.app)).body.id };
    const asked = { q: flags.query, ...pagesOfListing(page) };
    return pageOfListing(await call(listRunbooksRoute, { params, query: asked }));
  },
});

export const getRunbook = defineCommand({
  name: "app runbook get",
  summary: "Show a runbook, and what the app's active config says of it.",
  args: { ...appArgs, runbook: { summary: "The runbook's name or id." } },
  examples: [{ does: "Show a runbook.", run: "svc app runbook get greeter restart" }],
  run: async ({ args, call, screen }) => {
    const { id: app_id, name: app } = (await findApp(call, args.app)).body;
    const wanted = { kind: "runbook", prefix: "rbk", app, given: args.runbook } as const;
    const found = await findPart(wanted, {
      read: (id) => call(getRunbookRoute, { params: { app_id, runbook_id: id } }),
      byName: async (name) => {
        const asked = { params: { app_id }, query: { ...one, name } };
        return pageOfListing(await call(listRunbooksRoute, asked));
      },
    });
    printItem(screen, found, partDetails);
  },
});
