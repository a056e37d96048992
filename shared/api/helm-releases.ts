import { z } from "@hono/zod-openapi";
import { createRoute } from "./create-route.ts";
import { helmReleaseSchema } from "./helm-charts.ts";
import { idParam } from "./id-param.ts";
import { json } from "./response.ts";

const tags = ["Helm releases"];
const signIn =
  "A runner or job token gives access to the chart that the plan of its own job names, while the execution is alive and " +
  "for ten minutes after.";
const name = (word: string, description: string) =>
  z
    .string()
    .min(1)
    .max(250)
    .openapi({ param: { name: word, in: "path" }, description });
const inNamespace = z.object({
  chart_id: idParam("chart_id", "hch"),
  namespace: name("namespace", "The namespace of the release."),
});
const inKey = inNamespace.extend({ key: name("key", "What helm calls the record.") });
const path = "/v1/helm-releases/{chart_id}/releases/{namespace}";
const record = z.record(z.string(), z.unknown()).openapi({ description: "Helm's own record." });
/** Read by the broker byte for byte. */
const body = {
  content: { "application/octet-stream": { schema: record } },
  description: "Helm's release record: JSON, at most 16 MiB.",
};
const verbatim = {
  description: "The record, byte for byte as helm wrote it.",
  content: { "application/json": { schema: record } },
};
const verbatims = {
  description: "The records, byte for byte as helm wrote them.",
  content: { "application/json": { schema: z.array(record) } },
};

export const listHelmRecordsRoute = createRoute("listHelmRecords", {
  get: path,
  rule: { surface: "runner", permission: "state.write", ownRunner: true },
  tags,
  summary: "Read all records of a namespace",
  description: signIn,
  params: inNamespace,
  responses: { 200: verbatims },
});

export const queryHelmRecordsRoute = createRoute("queryHelmRecords", {
  get: `${path}/query`,
  rule: { surface: "runner", permission: "state.write", ownRunner: true },
  tags,
  summary: "Read the records with these labels",
  description:
    `${signIn}\n\nEvery query parameter is a label: those of the record's \`labels\`, and helm's own: \`name\`, ` +
    "`owner` (helm), `status` and `version`. All must match.",
  params: inNamespace,
  responses: { 200: verbatims },
});

export const getHelmRecordRoute = createRoute("getHelmRecord", {
  get: `${path}/{key}`,
  rule: { surface: "runner", permission: "state.write", ownRunner: true },
  tags,
  summary: "Read a record",
  description: signIn,
  params: inKey,
  responses: { 200: verbatim },
});

export const createHelmRecordRoute = createRoute("createHelmRecord", {
  post: `${path}/{key}`,
  rule: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    maxBody: "16 MiB",
    ownPermit: true,
  },
  tags,
  summary: "Create a record",
  description: `${signIn}\n\n409 if a record with this key already exists.`,
  params: inKey,
  body,
  responses: { 201: json(helmReleaseSchema, "The release.") },
});

export const updateHelmRecordRoute = createRoute("updateHelmRecord", {
  put: `${path}/{key}`,
  rule: {
    surface: "runner",
    permission: "state.write",
    ownRunner: true,
    maxBody: "16 MiB",
    ownPermit: true,
  },
  tags,
  summary: "Update a record",
  description: `${signIn}\n\n404 if there is no record with this key.`,
  params: inKey,
  body,
  responses: { 200: json(helmReleaseSchema, "The release.") },
});

export const deleteHelmRecordRoute = createRoute("deleteHelmRecord", {
  delete: `${path}/{key}`,
  rule: { surface: "runner", permission: "state.write", ownRunner: true },
  tags,
  summary: "Delete a record",
  description: signIn,
  params: inKey,
  responses: { 200: json(helmReleaseSchema, "The release before it was deleted.") },
});
