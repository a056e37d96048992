import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { inputsInput } from "./install.ts";
import { createdQuery, listingDescription, listingOf, listingQuery } from "./listing.ts";
import { json } from "./response.ts";

/** Values of inputs by name: other clients are told each as a text. */
export const inputValues = z
  .record(z.string(), z.unknown())
  .describe(
    "Sensitive ones are hidden. Who names `application/problem+json` in Accept gets them as JSON, everybody else as texts.",
  );

const installInputsSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    install_id: z.string(),
    version: z.int(),
    app_config_id: z.string(),
    app_input_config_id: z.string().describe("The same as `app_config_id`."),
    values: inputValues,
    redacted_values: inputValues,
    workflow_id: z.string().optional().describe("Id of the update that this request started."),
    created_by_id: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("InstallInputs");
export type ShownInputs = z.infer<typeof installInputsSchema>;

const installStateSchema = z
  .object({
    id: z.string(),
    install_id: z.string(),
    version: z.int(),
    checksum: z
      .string()
      .describe(
        "Equal for equal states of an install, as long as the same key seals them; different for each version without seal keys. It reveals nothing about the contents.",
      ),
    triggered_by_id: z.string(),
    triggered_by_type: z.string(),
    created_at: z.iso.datetime(),
  })
  .openapi("AppInstallState");
export type InstallState = z.infer<typeof installStateSchema>;

const tags = ["Installs"];
const path = "/v1/installs/{install_id}";
const reading = { surface: "control-plane", permission: "installs.read" } as const;
const writing = { surface: "control-plane", permission: "installs.write" } as const;

export const listInstallInputsRoute = createRoute("listInstallInputs", {
  get: `${path}/inputs`,
  rule: reading,
  tags,
  summary: "List the versions of an install's inputs",
  description: listingDescription,
  query: z.object({ ...listingQuery, ...createdQuery }),
  responses: { 200: json(listingOf(installInputsSchema), "Versions.") },
});

export const getInstallInputsRoute = createRoute("getInstallInputs", {
  get: `${path}/inputs/current`,
  rule: reading,
  tags,
  summary: "Read an install's inputs",
  responses: { 200: json(installInputsSchema, "The inputs.") },
});

const updated =
  "Creates another version and starts a workflow input_update, unless nothing changes. 422 for an input that is missing, unknown or does not fit.";

export const replaceInstallInputsRoute = createRoute("replaceInstallInputs", {
  post: `${path}/inputs`,
  rule: { ...writing, idempotent: "replay" },
  tags,
  summary: "Replace an install's inputs",
  description: updated,
  body: z.strictObject({ inputs: inputsInput }),
  responses: { 201: json(installInputsSchema, "The inputs.") },
});

export const updateInstallInputsRoute = createRoute("updateInstallInputs", {
  patch: `${path}/inputs`,
  rule: writing,
  tags,
  summary: "Change some of an install's inputs",
  description: `${updated} null removes a value; inputs that are not named stay.`,
  body: z.strictObject({
    inputs: inputsInput,
    role: z.string().max(255).default("").describe("The role of the workflow that applies them."),
    deploy_dependents: z
      .boolean()
      .optional()
      .describe("Has no effect: what needs a part that changes is deployed, too."),
    inputs_only: z
      .boolean()
      .optional()
      .describe("Has no effect: what reads a changed input is deployed."),
  }),
  responses: { 200: json(installInputsSchema, "The inputs.") },
});

export const getInstallStateRoute = createRoute("getInstallState", {
  get: `${path}/state`,
  rule: { ...reading, ownPermit: true },
  tags,
  summary: "Read what is known of an install",
  description:
    "What templates read below `.svc`, as it is now; sensitive inputs are hidden. Of outputs it has 16 MiB at most: those of actions beyond are left out, and it says so.",
  responses: { 200: json(z.record(z.string(), z.unknown()), "The state.") },
});

export const listInstallStatesRoute = createRoute("listInstallStates", {
  get: `${path}/state-history`,
  rule: reading,
  tags,
  summary: "List the states of an install that workflows recorded",
  description: listingDescription,
  query: z.object({ ...listingQuery, ...createdQuery }),
  responses: { 200: json(listingOf(installStateSchema), "States.") },
});
