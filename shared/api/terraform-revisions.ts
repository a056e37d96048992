import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { digits } from "./digits.ts";
import { idParam } from "./id-param.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";
import { maxRevision, workspaceStateSchema } from "./terraform-workspaces.ts";

const tags = ["Terraform workspaces"];
const path = "/v1/terraform-workspaces/{workspace_id}";
const workspaceId = idParam("workspace_id", "tfw");
const stateParams = z.object({
  workspace_id: workspaceId,
  state_id: z
    .string()
    .regex(
      /^(?:tfs_[0-9a-hjkmnp-tv-z]{26}|[1-9]\d{0,8}|current)$/,
      "Must be the id of a state, the number of a revision, or current.",
    )
    .openapi({
      param: { name: "state_id", in: "path" },
      example: "current",
      description: "A state's id, a revision's number, or `current`.",
    }),
});
const contentsParams = z.object({
  workspace_id: workspaceId,
  state_id: z
    .string()
    .regex(
      /^(?:tf[js]_[0-9a-hjkmnp-tv-z]{26}|[1-9]\d{0,8}|current)$/,
      "Must be the id of a state or of a state as JSON, the number of a revision, or current.",
    )
    .openapi({
      param: { name: "state_id", in: "path" },
      example: "current",
      description:
        "A state's id, a revision's number, or `current`; or the id of the last output of terraform show -json.",
    }),
});
const stateJsonSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    workspace_id: z.string(),
    size_bytes: z.int(),
    runner_job_id: z.string().nullable(),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
  })
  .openapi("TerraformWorkspaceStateJSON");
export type StateJson = z.infer<typeof stateJsonSchema>;
const revision = digits(1, maxRevision);
const bytes = { "application/json": { schema: z.unknown() } };

export const listStatesRoute = createRoute("listTerraformWorkspaceStates", {
  get: `${path}/states`,
  rule: { surface: "operator", permission: "state.read" },
  tags,
  summary: "List the revisions of a workspace's state, the newest first",
  query: z.object(pageQuery),
  responses: { 200: json(pageOrArrayOf(workspaceStateSchema), "A page of revisions.") },
});

export const getStateRoute = createRoute("getTerraformWorkspaceState", {
  get: `${path}/states/{state_id}`,
  rule: { surface: "operator", permission: "state.read" },
  tags,
  summary: "Read one revision, without its contents",
  params: stateParams,
  responses: { 200: json(workspaceStateSchema, "The revision.") },
});

export const getStateContentsRoute = createRoute("getTerraformWorkspaceStateContents", {
  get: `${path}/states/{state_id}/contents`,
  rule: { surface: "operator", permission: "state.write", audit: "secrets" },
  tags,
  summary: "Read a revision's state, byte for byte",
  description:
    "A state holds secrets, so this needs the permission to write. Of the id of an output of terraform show -json that output, as it was sent.",
  params: contentsParams,
  responses: { 200: { description: "The state.", content: bytes } },
});

const instanceSchema = z
  .object({
    index_key: z.union([z.string(), z.number()]).nullable(),
    deposed: z
      .string()
      .nullable()
      .describe("The key of a deposed object: replaced, but not yet destroyed."),
    status: z.string().describe("`tainted`, or empty."),
    schema_version: z.int(),
    attributes: z
      .record(z.string(), z.unknown())
      .describe("Sensitive values are replaced by `(sensitive)`."),
    sensitive_attributes: z.array(z.string()).describe("Where something sensitive is."),
  })
  .openapi("TerraformStateInstance");

const resourceSchema = z
  .object({
    address: z.string(),
    module: z.string(),
    mode: z.string(),
    type: z.string(),
    name: z.string(),
    provider: z.string(),
    instances: z.array(instanceSchema),
  })
  .openapi("TerraformStateResource");
export type StateResource = z.infer<typeof resourceSchema>;

const outputSchema = z
  .object({
    name: z.string(),
    type: z.unknown().describe("As in Terraform; only the kind for sensitive values."),
    sensitive: z.boolean(),
    value: z.unknown().describe("Left out when it is sensitive."),
  })
  .openapi("TerraformStateOutput");
export type StateOutput = z.infer<typeof outputSchema>;

export const listStateResourcesRoute = createRoute("listTerraformStateResources", {
  get: `${path}/states/{state_id}/resources`,
  rule: { surface: "operator", permission: "state.read", ownPermit: true },
  tags,
  summary: "List the resources of a revision",
  description:
    "By the id of the last output of terraform show -json, those of the current revision.",
  params: contentsParams,
  responses: { 200: json(z.array(resourceSchema), "In the state's order.") },
});

export const listStateOutputsRoute = createRoute("listTerraformStateOutputs", {
  get: `${path}/states/{state_id}/outputs`,
  rule: { surface: "operator", permission: "state.read", ownPermit: true },
  tags,
  summary: "List the outputs of a revision",
  params: stateParams,
  responses: { 200: json(z.array(outputSchema), "By their names.") },
});

const changedSchema = z.object({
  name: z.string(),
  before: z.unknown().optional(),
  after: z.unknown().optional(),
});
const diffSchema = z
  .object({
    from: workspaceStateSchema,
    to: workspaceStateSchema,
    resources: z.array(
      z.object({
        address: z.string(),
        change: z.enum(["added", "removed", "changed"]),
        status: z
          .object({ before: z.string(), after: z.string() })
          .optional()
          .describe("Where it changed: `tainted`, or empty."),
        attributes: z
          .array(changedSchema)
          .describe("Changed attributes. Sensitive values are not compared."),
      }),
    ),
    outputs: z.array(changedSchema.extend({ change: z.enum(["added", "removed", "changed"]) })),
  })
  .openapi("TerraformStateDiff");
export type StateDiff = z.infer<typeof diffSchema>;

export const diffStatesRoute = createRoute("diffTerraformWorkspaceStates", {
  get: `${path}/diff`,
  rule: { surface: "operator", permission: "state.read", ownPermit: true },
  tags,
  summary: "Compare two revisions",
  query: z.object({
    from: revision.optional().describe("Default: the one before `to`."),
    to: revision.optional().describe("Default: the current one."),
  }),
  responses: {
    200: json(diffSchema, "What was added, changed and removed between `from` and `to`."),
  },
});

export const getStateJsonRoute = createRoute("getTerraformStateJson", {
  get: `${path}/state-json`,
  rule: { surface: "operator", permission: "state.write", audit: "secrets" },
  tags,
  summary: "Read the last output of terraform show -json",
  description:
    "A state holds secrets, so this needs the permission to write. With `limit`, `offset` or `page` it is a list of what is kept, without the bytes: one, or none.",
  query: z.object({
    limit: digits(1, 100).optional().describe("How many there are at most."),
    offset: pageQuery.offset,
    page: pageQuery.page,
  }),
  responses: {
    200: {
      description: "As it was sent; or a list.",
      content: { "application/json": { schema: z.union([z.array(stateJsonSchema), z.unknown()]) } },
    },
    204: { description: "There is none." },
  },
});
