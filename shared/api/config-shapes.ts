import { z } from "@hono/zod-openapi";
import { templateTypes } from "../app-config/template-file.ts";
import { createRoute } from "./create-route.ts";
import { json } from "./response.ts";

const tags = ["Apps"];
const reading = { surface: "control-plane", permission: "apps.read" } as const;

export const getTemplateConfigRoute = createRoute("getTemplateConfig", {
  get: "/v1/apps/{app_id}/template-config",
  rule: reading,
  tags,
  summary: "Read a file of a config to begin with",
  description:
    "A small valid file of the kind, with what each member is for. Nothing is stored, though the status is 201, which clients take.",
  query: z.object({
    type: z
      .enum(templateTypes)
      .default("top-level")
      .describe("The kind of file; `flat` and `top-level` are metadata.toml."),
  }),
  responses: {
    201: json(
      z
        .object({
          type: z.enum(templateTypes),
          filename: z.string().describe("Its place in the config's directory."),
          content: z.string().describe("TOML."),
          format: z.enum(["v2"]),
        })
        .openapi("AppConfigTemplate"),
      "The file.",
    ),
  },
});

const schemaAnswer = json(z.record(z.string(), z.unknown()), "The schema.");

export const getConfigSchemaOfTypeRoute = createRoute("getConfigSchemaOfType", {
  get: "/v1/general/config-schema/{type}",
  rule: { ...reading, bound: true },
  tags,
  summary: "Read the JSON Schema of a kind of config file, by its path",
  description: "For editors. 404 `config_schema_not_found` for an unknown type.",
  params: z.object({
    type: z
      .string()
      .max(64)
      .openapi({
        param: { name: "type", in: "path" },
        example: "action",
        description: "A kind of file; `config` is the JSON document.",
      }),
  }),
  responses: { 200: schemaAnswer },
});

export const getConfigSchemaRoute = createRoute("getConfigSchema", {
  get: "/v1/general/config-schema",
  rule: { ...reading, bound: true },
  tags,
  summary: "Read the JSON Schema of a kind of config file",
  description: "For editors. 404 `config_schema_not_found` for an unknown type.",
  query: z.object({
    type: z
      .string()
      .max(64)
      .default("config")
      .describe("A kind of file, such as `action`; `config` is the JSON document."),
    source: z
      .string()
      .max(64)
      .optional()
      .describe("Has no effect: there is one schema of each kind."),
  }),
  responses: { 200: schemaAnswer },
});
