import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import {
  installs,
  installChangesSchema,
  installEventSchema,
  newInstallOfAppSchema,
  newInstallSchema,
  workflowResponseSchema,
} from "./install.ts";
import { labelsInput } from "./labels-input.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";

const tags = ["Installs"];
const path = "/v1/installs/{install_id}";
const reading = { surface: "control-plane", permission: "installs.read" } as const;
const writing = { surface: "control-plane", permission: "installs.write" } as const;
const destroying = { surface: "control-plane", permission: "installs.destroy" } as const;

const created =
  "In one statement: with its runner group and runner (or those of `runner_group_id`), its lanes and the workflow that provisions it. 409 " +
  "`no_active_config`, `runner_group_taken`, `name_taken`; 422 for an input that is missing, unknown or does not fit, and for a template of a label that is none. " +
  "An install of this name that has the same content now (all members but `start`) is answered as it is (`Idempotent-Replayed`): nothing is done.";
const responses = { 201: json(installs.itemSchema, "The install.") };
export const createInstallRoute = createRoute("createInstall", {
  post: "/v1/apps/{app_id}/installs",
  rule: { ...writing, idempotent: "replay", ownPermit: true },
  tags,
  summary: "Create an install of an app",
  description: created,
  body: newInstallSchema,
  responses,
});

export const createInstallOfAppRoute = createRoute("createInstallOfApp", {
  post: "/v1/installs",
  rule: { ...writing, idempotent: "replay", bound: true, ownPermit: true },
  tags,
  summary: "Create an install of the app that the body names",
  description: created,
  body: newInstallOfAppSchema,
  responses,
});

export const updateInstallRoute = createRoute("updateInstall", {
  patch: path,
  rule: { ...writing, ownPermit: true, ifMatch: true },
  tags,
  summary: "Change an install",
  description:
    "`metadata` and `label_templates` replace what was there; the labels of the new templates are rendered at once, those of the former ones go. 422 for what " +
    "is wrong with a template, as at the creation: `label_locked`, `one_of`, `bad_template`, `reference_unknown`, `template_too_costly` (for all together). With If-Match, 412 when it was changed meanwhile.",
  body: installChangesSchema,
  responses: { 200: json(installs.itemSchema, "The install.") },
});

export const deleteInstallRoute = createRoute("deleteInstall", {
  delete: path,
  rule: destroying,
  tags,
  summary: "Deprovision an install, then delete it",
  description:
    "One that was never provisioned is deleted at once, and `workflow_id` is empty. 409 `workflow_open` while another change of it is open.",
  responses: { 200: json(workflowResponseSchema, "The workflow.") },
});

export const forgetInstallRoute = createRoute("forgetInstall", {
  post: `${path}/forget`,
  rule: destroying,
  tags,
  summary: "Forget an install",
  description:
    "Deletes its records, but nothing that runs in the customer's account. 409 `workflow_open` while workflows of it are open.",
  body: z.strictObject({
    confirm: z
      .string()
      .optional()
      .describe("The install's name, for who wants to be sure: 409 `unconfirmed` for another."),
  }),
  responses: { 200: json(installs.itemSchema, "The install, as it was.") },
});

export const mergeInstallLabelsRoute = createRoute("mergeInstallLabels", {
  post: `${path}/labels`,
  rule: writing,
  tags,
  summary: "Set labels of an install",
  description: "The others stay. 422 `label_locked` for keys that the app gives.",
  body: z.strictObject({ labels: labelsInput }),
  responses: { 200: json(installs.itemSchema, "The install.") },
});

export const removeInstallLabelsRoute = createRoute("removeInstallLabels", {
  delete: `${path}/labels`,
  rule: writing,
  tags,
  summary: "Remove labels of an install",
  description: "422 `label_locked` for keys that the app gives.",
  body: z.strictObject({ keys: z.array(z.string().max(63)).min(1).max(64) }),
  responses: { 200: json(installs.itemSchema, "The install.") },
});

export const listInstallEventsRoute = createRoute("listInstallEvents", {
  get: `${path}/events`,
  rule: reading,
  tags,
  summary: "List the events of an install, newest first",
  description: `The starts and ends of its workflows, kept as long as events of webhooks. ${listingDescription}`,
  query: z.object({ ...listingQuery, ...createdQuery }),
  responses: { 200: json(listingOf(installEventSchema), "Events.") },
});

export const getInstallEventRoute = createRoute("getInstallEvent", {
  get: `${path}/events/{event_id}`,
  rule: reading,
  tags,
  summary: "Read an event of an install",
  responses: { 200: json(installEventSchema, "The event.") },
});
