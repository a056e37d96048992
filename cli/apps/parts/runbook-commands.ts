import {
  deleteRunbookRoute,
  getRunbookRoute,
  listRunbooksRoute,
} from "../../../shared/api/runbooks.ts";
import { UsageError } from "../../../shared/command-line/usage-error.ts";
import { type Caller, defineCommand } from "../../command.ts";
import { defineList } from "../../lists/define-list.ts";
import { pageOfListing, pagesOfListing } from "../../lists/listing-pages.ts";
import { printItem } from "../../output/print.ts";
import { appArgs, findApp } from "../find-app.ts";
import { findPart } from "./find-part.ts";
import { partDetails, partLine } from "./part-view.ts";

const args = { ...appArgs, runbook: { summary: "The runbook's name or id." } } as const;
const { TYPE: _, ...columns } = partLine.columns;

async function findRunbook(
  call: Caller,
  given: { readonly app: string; readonly runbook: string },
) {
  const { id: app_id, name: app } = (await findApp(call, given.app)).body;
  const wanted = { kind: "runbook", prefix: "rbk", app, given: given.runbook } as const;
  const found = await findPart(wanted, {
    read: (id) => call(getRunbookRoute, { params: { app_id, runbook_id: id } }),
    byName: async (name) => {
      const query = { name, limit: "1", cursor: "" };
      return pageOfListing(await call(listRunbooksRoute, { params: { app_id }, query }));
    },
  });
  return { found, params: { app_id, runbook_id: found.body.id } };
}

export const listRunbooks = defineList({
  name: "app runbook list",
  summary: "List an app's runbooks, by their names.",
  args: appArgs,
  flags: { query: { value: "TEXT", summary: "Only those with this text in the name." } },
  examples: [{ does: "List the runbooks of an app.", run: "svc app runbook list greeter" }],
  view: { ...partLine, columns },
  empty: "No runbooks found. Add one to the app's config: runbooks/NAME.toml",
  read: async ({ args: given, flags, call, page }) => {
    const params = { app_id: (await findApp(call, given.app)).body.id };
    const query = { q: flags.query, ...pagesOfListing(page) };
    return pageOfListing(await call(listRunbooksRoute, { params, query }));
  },
});

export const getRunbook = defineCommand({
  name: "app runbook get",
  summary: "Show a runbook, and what the app's active config says of it.",
  args,
  examples: [{ does: "Show a runbook.", run: "svc app runbook get greeter restart" }],
  run: async ({ args: given, call, screen }) => {
    printItem(screen, (await findRunbook(call, given)).found, partDetails);
  },
});

export const deleteRunbook = defineCommand({
  name: "app runbook delete",
  summary: "Delete a runbook that no active or installed config uses.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete a runbook.", run: "svc app runbook delete greeter restart --yes" }],
  run: async ({ args: given, flags, call, screen }) => {
    if (!flags.yes)
      throw new UsageError("Deleting a runbook cannot be undone. To confirm, add --yes.");
    const { found, params } = await findRunbook(call, given);
    await call(deleteRunbookRoute, { params });
    screen.say(`The runbook ${found.body.name} (${found.body.id}) is deleted.`);
  },
});
