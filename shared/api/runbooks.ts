import { z } from "@hono/zod-openapi";
import { nameShape } from "./app.ts";
import { createRoute } from "./create-route.ts";
import { labelsInput } from "./labels-input.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { namedPartMembers } from "./named-part-members.ts";
import { partFilters } from "./part-filters.ts";
import { json } from "./response.ts";
import { runbookConfigRecord } from "./runbook-config-record.ts";
import { ofRunbook } from "./said-members.ts";

const tags = ["Runbooks"];
const base = "/v1/apps/{app_id}/runbooks";
const path = `${base}/{runbook_id}` as const;
const reading = { surface: "control-plane", permission: "apps.read" } as const;
const writing = { surface: "control-plane", permission: "apps.write" } as const;

export const runbookSchema = z
  .object({
    ...namedPartMembers,
    description: z.string().describe("As was said of it last: by the active config, or since."),
    config_count: z.int().describe("Number of configs that have or had it."),
  })
  .openapi("Runbook");
export type ShownRunbook = z.infer<typeof runbookSchema>;

export const listRunbooksRoute = createRoute("listRunbooks", {
  get: base,
  rule: reading,
  tags,
  summary: "List the runbooks of an app",
  description: listingDescription,
  query: z.object({ ...listingQuery, ...partFilters }),
  responses: { 200: json(listingOf(runbookSchema), "Runbooks.") },
});

export const getRunbookRoute = createRoute("getRunbook", {
  get: path,
  rule: reading,
  tags,
  summary: "Read a runbook",
  responses: { 200: json(runbookSchema, "The runbook.") },
});

export const updateRunbookRoute = createRoute("updateRunbook", {
  patch: path,
  rule: writing,
  tags,
  summary: "Change a runbook",
  description:
    "`labels` replaces its own; 422 `label_locked` for keys that the active config gives. 409 `runbook_in_use`, with the configs that use it, if it is renamed while the active config or an " +
    "install's config has it; 409 `name_taken`. `description` is for the next config that comes in parts, and is answered until one comes in force.",
  body: z
    .strictObject({
      name: nameShape,
      labels: labelsInput,
      ...ofRunbook.shape,
    })
    .partial()
    .openapi("RunbookChanges", { example: { labels: { team: "web" } } }),
  responses: { 200: json(runbookSchema, "The runbook.") },
});

export const deleteRunbookRoute = createRoute("deleteRunbook", {
  delete: path,
  rule: writing,
  tags,
  summary: "Delete a runbook",
  description:
    "409 `runbook_in_use`, with the configs that use it, while the active config or an install's config has it.",
  responses: { 200: json(z.literal(true), "It is deleted.") },
});

export const listRunbookConfigsRoute = createRoute("listRunbookConfigs", {
  get: `${path}/configs`,
  rule: reading,
  tags,
  summary: "List the configs of a runbook",
  description: `One for each config of the app that has or had it. 422 where the app's configs are too long for one answer. ${listingDescription}`,
  query: z.object({ ...listingQuery, ...createdQuery }),
  responses: { 200: json(listingOf(runbookConfigRecord.schema), "Configs.") },
});
