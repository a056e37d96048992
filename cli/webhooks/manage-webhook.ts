import {
  createWebhookRoute,
  deleteWebhookRoute,
  updateWebhookRoute,
} from "../../shared/api/webhooks.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { defineCommand } from "../command.ts";
import { withMember } from "../flags/json-object.ts";
import { printItem } from "../output/print.ts";
import { deliveryFlags, readFilter, readSecret } from "./delivery-flags.ts";
import { webhookDetails } from "./webhook-view.ts";

/** The argument of every command of one webhook. */
export const webhookArgs = {
  webhook: { summary: "The webhook's id.", offers: "webhooks" },
} as const;
const args = webhookArgs;

export const createWebhook = defineCommand({
  name: "webhook create",
  summary: "Have events of the org delivered to a URL.",
  details: "Without --interests it gets all events, without --match those of the whole org.",
  flags: {
    to: { value: "URL", isRequired: true, summary: "Where to: it cannot be changed later." },
    ...deliveryFlags,
  },
  examples: [
    {
      does: "Get all events, signed.",
      run: "svc webhook create --to https://example.com/hooks --sign-by secret",
    },
  ],
  run: async ({ flags: given, call, screen }) => {
    const body = { webhook_url: given.to, webhook_secret: await readSecret(given["sign-by"]) };
    const bodyText = await withFilters(JSON.stringify(body), given);
    const webhook = await call(createWebhookRoute, { body, bodyText });
    printItem(screen, webhook, webhookDetails);
    screen.say(`Send it a sample event: svc webhook ping ${webhook.body.id}`);
  },
});

export const updateWebhook = defineCommand({
  name: "webhook update",
  summary: "Change what a webhook gets, or the secret that signs it.",
  details: "Each is replaced completely. The previous secret stays valid for 24 hours.",
  args,
  flags: {
    ...deliveryFlags,
    "all-events": { summary: "It gets all events." },
    "whole-org": { summary: "It gets those of the whole org." },
  },
  examples: [
    { does: "Rotate the secret.", run: "svc webhook update whk_… --sign-by new-secret" },
    { does: "Get everything again.", run: "svc webhook update whk_… --all-events --whole-org" },
  ],
  run: async ({ args: { webhook }, flags: given, call, screen }) => {
    if (given["all-events"] && given.interests !== undefined) {
      throw new UsageError("--all-events and --interests cannot be used together.");
    }
    if (given["whole-org"] && given.match !== undefined) {
      throw new UsageError("--whole-org and --match cannot be used together.");
    }
    const body = {
      webhook_secret: await readSecret(given["sign-by"]),
      ...(given["all-events"] && { interests: { all_events: true } }),
      ...(given["whole-org"] && { match: null }),
    };
    const bodyText = await withFilters(JSON.stringify(body), given);
    if (bodyText === "{}") {
      throw new UsageError("Nothing to change: give a flag like --interests.");
    }
    const params = { webhook_id: webhook };
    printItem(screen, await call(updateWebhookRoute, { params, body, bodyText }), webhookDetails);
  },
});

export const deleteWebhook = defineCommand({
  name: "webhook delete",
  summary: "Delete a webhook. Nothing more is delivered to it.",
  args,
  flags: { yes: { summary: "Required: this cannot be undone." } },
  examples: [{ does: "Delete a webhook.", run: "svc webhook delete whk_… --yes" }],
  run: async ({ args: { webhook }, flags: { yes }, call, screen }) => {
    if (!yes) throw new UsageError("Deleting a webhook cannot be undone. To confirm, add --yes.");
    await call(deleteWebhookRoute, { params: { webhook_id: webhook } });
    screen.say(`${webhook} is deleted.`);
  },
});

type Filters = Readonly<Record<"interests" | "match", string | undefined>>;

async function withFilters(body: string, given: Filters): Promise<string> {
  let text = body;
  for (const name of ["interests", "match"] as const) {
    const file = given[name];
    if (file === undefined) continue;
    text = withMember(text, name, await readFilter(name, file));
  }
  return text;
}
