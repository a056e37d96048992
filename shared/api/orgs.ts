import { z } from "@hono/zod-openapi";
import { fewestRetainedDays, type Retained, retainedKinds } from "../retention.ts";
import { compositeStatusSchema } from "./composite-status.ts";
import { createRoute } from "./create-route.ts";
import { pageOrArrayOf, pageQuery } from "./page.ts";
import { json } from "./response.ts";

const ofEachKind = <Schema extends z.ZodType>(schemaOf: (kind: Retained) => Schema) =>
  Object.fromEntries(retainedKinds.map((kind) => [kind, schemaOf(kind)])) as Record<
    Retained,
    Schema
  >;

export const orgSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    status: z.literal("active").describe("What is created is ready at once."),
    status_description: z.string(),
    status_v2: compositeStatusSchema,
    sandbox_mode: z
      .boolean()
      .describe("As it was said. Which jobs are simulated, runner groups and installs say."),
    tags: z.array(z.string()),
    features: z
      .record(z.string(), z.boolean())
      .describe("Those of its settings that are on or off."),
    retention_days: z
      .object(ofEachKind(() => z.int().nullable()))
      .describe("For how many days the org keeps ended records; null: as long as the broker does."),
    retention_limit_days: z
      .object(ofEachKind(() => z.int()))
      .describe("For how many days the broker keeps them: an org may choose fewer, not more."),
    prevent_self_approval: z
      .boolean()
      .describe(
        "Whether people who are behind a workflow (they started, retried or resumed it, or made the token, emitter or config used for that) can neither approve it nor set approve-all on it; also, jobs cannot be enqueued by hand for runners of installs (403 `self_approval`).",
      ),
    auto_skip_noops: z
      .boolean()
      .describe(
        "Whether a deploy whose plan changes nothing asks nobody and ends as `noop`, as with `skip_noops` in each component's config.",
      ),
    version: z.int().describe("The version to send as If-Match with a change of the org."),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Org");
export type Org = z.infer<typeof orgSchema>;

const name = z.string().trim().min(1).max(200);
const said = {
  use_sandbox_mode: z.boolean().optional().describe("Kept as `sandbox_mode`."),
  tags: z.array(z.string().min(1).max(255)).max(100).optional().describe("Your own words for it."),
};
const orgBody = z.strictObject({
  name,
  ...said,
});

const retentionBody = z
  .strictObject(
    ofEachKind((kind) => z.int().min(fewestRetainedDays[kind]).max(3650).nullable().optional()),
  )
  .describe("Members that are left out stay; null: as long as the broker does.");

const updateOrgBody = z.strictObject({
  name: name.optional(),
  ...said,
  retention_days: retentionBody.optional(),
  prevent_self_approval: z.boolean().optional(),
  auto_skip_noops: z.boolean().optional(),
});
export type OrgChanges = z.infer<typeof updateOrgBody>;

export const createOrgRoute = createRoute("createOrg", {
  post: "/v1/orgs",
  rule: { surface: "operator", permission: "orgs.create", idempotent: "replay" },
  tags: ["Access"],
  summary: "Create an org",
  description: "The caller's account becomes its admin. Only a token of type `admin` may do this.",
  body: orgBody,
  responses: { 201: json(orgSchema, "The new org.") },
});

export const listOrgsRoute = createRoute("listOrgs", {
  get: "/v1/orgs",
  rule: { surface: "operator", permission: "orgs.read", bound: true },
  tags: ["Access"],
  summary: "List the orgs that the caller's token gives access to",
  query: z.object({
    ...pageQuery,
    q: z.string().max(255).optional().describe("A part of the name."),
  }),
  responses: { 200: json(pageOrArrayOf(orgSchema), "A page of orgs, the newest first.") },
});

export const getCurrentOrgRoute = createRoute("getCurrentOrg", {
  get: "/v1/orgs/current",
  rule: { surface: "operator", permission: "orgs.read", bound: true },
  tags: ["Access"],
  summary: "Get the org that the request acts in",
  description: "The org of the token, or the one named in `X-Svc-Org-ID`.",
  responses: { 200: json(orgSchema, "The org."), 304: { description: "Unchanged." } },
});

export const updateCurrentOrgRoute = createRoute("updateCurrentOrg", {
  patch: "/v1/orgs/current",
  rule: { surface: "operator", permission: "orgs.write", ifMatch: true },
  tags: ["Access"],
  summary: "Change the org",
  description:
    "With `If-Match`, only if its version is that one: else 412. `retention_days` may not be longer than `retention_limit_days`: else 422 " +
    "`longer_than_broker`. What is older than the new limit is deleted within some hours and cannot be restored.",
  body: updateOrgBody,
  responses: { 200: json(orgSchema, "The org after the change.") },
});
