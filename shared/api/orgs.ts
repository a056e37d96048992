import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { pageOf, pageQuery } from "./page.ts";
import { json, jsonBody } from "./response.ts";

export const orgSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    created_at: z.iso.datetime(),
    created_by_id: z.string(),
    updated_at: z.iso.datetime(),
  })
  .openapi("Org");
export type Org = z.infer<typeof orgSchema>;

const orgBody = z.strictObject({ name: z.string().trim().min(1).max(200) });

export const createOrgRoute = createRoute({
  operationId: "createOrg",
  rule: { surface: "operator", permission: "orgs.create", idempotent: "replay" },
  method: "post",
  path: "/v1/orgs",
  tags: ["Access"],
  summary: "Create an org",
  description: "The caller's account becomes its admin. Only a token of type `admin` may do this.",
  request: { body: jsonBody(orgBody) },
  responses: { 201: json(orgSchema, "The new org.") },
});

export const listOrgsRoute = createRoute({
  operationId: "listOrgs",
  rule: { surface: "operator", permission: "orgs.read" },
  method: "get",
  path: "/v1/orgs",
  tags: ["Access"],
  summary: "List the orgs that the caller's token gives access to",
  request: { query: z.object(pageQuery) },
  responses: { 200: json(pageOf(orgSchema), "A page of orgs, the newest first.") },
});

export const getCurrentOrgRoute = createRoute({
  operationId: "getCurrentOrg",
  rule: { surface: "operator", permission: "orgs.read" },
  method: "get",
  path: "/v1/orgs/current",
  tags: ["Access"],
  summary: "Get the org that the request acts in",
  description: "The org of the token, or the one named in `X-Svc-Org-ID`.",
  responses: { 200: json(orgSchema, "The org."), 304: { description: "Unchanged." } },
});

export const updateCurrentOrgRoute = createRoute({
  operationId: "updateCurrentOrg",
  rule: { surface: "operator", permission: "orgs.write" },
  method: "patch",
  path: "/v1/orgs/current",
  tags: ["Access"],
  summary: "Change the org",
  request: { body: jsonBody(orgBody.partial()) },
  responses: { 200: json(orgSchema, "The org after the change.") },
});
