import {
  createOrgRoute,
  getCurrentOrgRoute,
  listOrgsRoute,
  updateCurrentOrgRoute,
} from "../../shared/api/orgs.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { type Retained, retainedKinds } from "../../shared/retention.ts";
import { type Command, defineCommand } from "../command.ts";
import { readPairs, readWhole } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem } from "../output/print.ts";
import { orgDetails, orgView } from "./org-view.ts";

const listOrgs = defineList({
  name: "org list",
  summary: "List the orgs that the token has access to.",
  flags: { query: { value: "TEXT", summary: "Only orgs with this text in the name." } },
  examples: [{ does: "List all orgs.", run: "svc org list" }],
  view: orgView,
  empty: "No orgs. Create one: svc org create NAME",
  read: async ({ flags: { query: q }, call, page }) =>
    await call(listOrgsRoute, { query: { q, ...page } }),
});

const getOrg = defineCommand({
  name: "org get",
  summary: "Show the org that commands act in: the token's own, or that of --org.",
  examples: [{ does: "Show the current org.", run: "svc org get" }],
  run: async ({ call, screen }) =>
    printItem(screen, await call(getCurrentOrgRoute, {}), orgDetails),
});

const createOrg = defineCommand({
  name: "org create",
  summary: "Create an org, with the token's account as its admin.",
  args: { name: { summary: "Its name." } },
  examples: [{ does: "Create an org for a customer.", run: "svc org create Acme" }],
  run: async ({ args, call, screen }) => {
    const org = await call(createOrgRoute, { body: { name: args.name } });
    printItem(screen, org, orgDetails);
    screen.say(`Use it: svc runner create --org ${org.body.id}`);
  },
});

const updateOrg = defineCommand({
  name: "org update",
  summary: "Rename the org, or change its settings and how long it keeps ended records.",
  details:
    "An org may keep each KIND for less time than the broker does, not longer. What is older than the new limit is deleted within some hours and cannot be restored.",
  flags: {
    name: { value: "NAME", summary: "A new name." },
    retain: {
      value: "KIND=DAYS",
      isRepeatable: true,
      summary: `For how many days to keep ${retainedKinds.join(", ")}; DAYS may be "broker".`,
    },
    "self-approval": {
      value: "WORD",
      choices: ["allowed", "prevented"],
      summary: "Whether people who are behind a workflow may approve it.",
    },
    "skip-noops": {
      value: "WORD",
      choices: ["always", "as-configured"],
      summary:
        "Whether deploys whose plans change nothing ask nobody, or only where a config says so.",
    },
  },
  examples: [
    {
      does: "Keep jobs for a week and logs for a month.",
      run: "svc org update --retain jobs=7 --retain logs=30",
    },
    {
      does: "Keep jobs as long as the broker does.",
      run: "svc org update --retain jobs=broker",
    },
  ],
  run: async ({ flags, call, screen }) => {
    const { name, "self-approval": word, "skip-noops": skips } = flags;
    const isNothing = [name, word, skips].every((given) => given === undefined);
    if (isNothing && flags.retain.length === 0)
      throw new UsageError(
        "Nothing to change: give --name, --retain, --self-approval or --skip-noops.",
      );
    const retained = flags.retain.length === 0 ? undefined : readRetained(flags.retain);
    const prevents = word === undefined ? undefined : word === "prevented";
    const body = {
      name,
      retention_days: retained,
      prevent_self_approval: prevents,
      auto_skip_noops: skips === undefined ? undefined : skips === "always",
    };
    printItem(screen, await call(updateCurrentOrgRoute, { body }), orgDetails);
  },
});

function readRetained(given: readonly string[]): Partial<Record<Retained, number | null>> {
  const pairs = Object.entries(readPairs("--retain", given));
  return Object.fromEntries(
    pairs.map(([kind, days]) => {
      if (!(retainedKinds as readonly string[]).includes(kind))
        throw new UsageError(`--retain: "${kind}" is none of ${retainedKinds.join(", ")}.`);
      return [kind, days === "broker" ? null : readWhole(`--retain ${kind}`, days)];
    }),
  );
}

/** The commands of orgs, in the order of help. */
export const orgCommands: readonly Command[] = [listOrgs, getOrg, createOrg, updateOrg];
