import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { toOpenApi30 } from "./to-open-api30.ts";

const ref = { $ref: "#/components/schemas/It" };
const none = { type: "null" };

function schemaOf(schema: object): unknown {
  const { components } = toOpenApi30({ components: { schemas: { It: schema } } }) as {
    components: { schemas: { It: unknown } };
  };
  return components.schemas.It;
}

describe("a schema in OpenAPI 3.0", () => {
  test.each([
    [
      { type: ["string", "null"], enum: ["a", null] },
      { type: "string", enum: ["a", null], nullable: true },
    ],
    [{ type: ["string", "integer"] }, { anyOf: [{ type: "string" }, { type: "integer" }] }],
    [
      { type: ["string", "integer", "null"], title: "t" },
      { title: "t", anyOf: [{ type: "string" }, { type: "integer" }], nullable: true },
    ],
    [none, { enum: [null], nullable: true }],
    [{ anyOf: [ref, none] }, { allOf: [ref], nullable: true }],
    [
      { oneOf: [{ type: "string", description: "inner" }, none], description: "outer" },
      { type: "string", description: "outer", nullable: true },
    ],
    [
      { anyOf: [ref, { type: "string" }, none] },
      { anyOf: [ref, { type: "string" }], nullable: true },
    ],
    [{ anyOf: [ref, { type: "string" }] }, { anyOf: [ref, { type: "string" }] }],
    [
      { ...ref, description: "d" },
      { allOf: [ref], description: "d" },
    ],
    [{ const: 1 }, { enum: [1] }],
    [{ examples: ["a", "b"] }, { example: "a" }],
    [
      { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 9 },
      { type: "number", minimum: 0, exclusiveMinimum: true, maximum: 9, exclusiveMaximum: true },
    ],
    [
      {
        type: "object",
        properties: { type: { type: ["string", "null"] } },
        additionalProperties: none,
      },
      {
        type: "object",
        properties: { type: { type: "string", nullable: true } },
        additionalProperties: { enum: [null], nullable: true },
      },
    ],
    [
      { type: "array", items: none, not: { const: 1 }, allOf: [none], additionalProperties: false },
      {
        type: "array",
        items: { enum: [null], nullable: true },
        not: { enum: [1] },
        allOf: [{ enum: [null], nullable: true }],
        additionalProperties: false,
      },
    ],
    [
      { example: { type: ["a"], anyOf: [none] }, default: { const: 1 } },
      { example: { type: ["a"], anyOf: [none] }, default: { const: 1 } },
    ],
  ])("%j", (given, meant) => {
    expect(schemaOf(given)).toEqual(meant);
  });
});

test("a document is converted wherever it has schemas, and nowhere else", () => {
  const content = { "application/json": { schema: { const: 1 }, example: { schema: none } } };
  const event = { post: { requestBody: { content } } };
  const document = { openapi: "3.1.0", paths: { "/a": event }, webhooks: { e: event } };
  const converted = { "application/json": { schema: { enum: [1] }, example: { schema: none } } };
  const meant = { post: { requestBody: { content: converted } } };
  expect(toOpenApi30(document)).toEqual({
    openapi: "3.0.3",
    paths: { "/a": meant },
    "x-webhooks": { e: meant },
  });
});

const words = new Set(
  `title multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength pattern maxItems minItems uniqueItems
  maxProperties minProperties required enum type allOf oneOf anyOf not items properties additionalProperties description format default
  nullable discriminator readOnly writeOnly xml externalDocs example deprecated $ref`.split(/\s+/),
);

/** What a schema has that 3.0 has no words for, wherever in it. */
function oddWords(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(oddWords);
  if (typeof schema !== "object" || schema === null) return [];
  const {
    properties = {},
    items,
    not,
    additionalProperties,
    allOf,
    oneOf,
    anyOf,
  } = schema as Record<string, unknown>;
  const { type } = schema as { type?: unknown };
  const names = Object.keys(schema).filter((word) => !words.has(word) && !word.startsWith("x-"));
  const isOdd = type === "null" || Array.isArray(type);
  const inner = [
    Object.values(properties as object),
    items,
    not,
    additionalProperties,
    allOf,
    oneOf,
    anyOf,
  ];
  return [...names, ...(isOdd ? [`type ${String(type)}`] : []), ...inner.flatMap(oddWords)];
}

function schemasIn(node: unknown): unknown[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node as Record<string, unknown>).flatMap(([key, value]) => {
    if (key === "example") return [];
    if (key === "schema") return [value];
    return key === "schemas" ? Object.values(value as Record<string, unknown>) : schemasIn(value);
  });
}

test("the API's document has no word that 3.0 has not", () => {
  const schemas = schemasIn(
    toOpenApi30(JSON.parse(readFileSync("test/openapi.json", "utf8")) as object),
  );
  expect(schemas.length).toBeGreaterThan(1000);
  expect([...new Set(schemas.flatMap(oddWords))]).toEqual([]);
});
