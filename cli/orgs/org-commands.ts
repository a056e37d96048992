import { createOrgRoute, getCurrentOrgRoute, listOrgsRoute } from "../../shared/api/orgs.ts";
import { defineCommand } from "../command.ts";
import { pageFlags } from "../flags/global-flags.ts";
import { printItem, printPage } from "../output/print.ts";
import { orgView } from "./org-view.ts";

export const listOrgs = defineCommand({
  name: "org list",
  summary: "List the orgs that the token has access to.",
  flags: pageFlags,
  examples: [{ does: "List all orgs.", run: "svc org list" }],
  run: async ({ flags, call, screen }) => {
    const { limit, cursor } = flags;
    printPage(screen, await call(listOrgsRoute, { query: { limit, cursor } }), {
      ...orgView,
      empty: "No orgs. Create one: svc org create NAME",
      more: "svc org list",
    });
  },
});

export const getOrg = defineCommand({
  name: "org get",
  summary: "Show the org that commands act in: the token's own, or that of --org.",
  examples: [{ does: "Show the current org.", run: "svc org get" }],
  run: async ({ call, screen }) => printItem(screen, await call(getCurrentOrgRoute, {}), orgView),
});

export const createOrg = defineCommand({
  name: "org create",
  summary: "Create an org, with the token's account as its admin.",
  args: { name: { summary: "Its name." } },
  examples: [{ does: "Create an org for a customer.", run: "svc org create Acme" }],
  run: async ({ args, call, screen }) => {
    const org = await call(createOrgRoute, { body: { name: args.name } });
    printItem(screen, org, orgView);
    screen.say(`Use it: svc runner create --org ${org.body.id}`);
  },
});
