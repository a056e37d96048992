/** A JSON schema as the API's document has it. */
export type JsonSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly example?: unknown;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly format?: string;
};
type Schemas = Readonly<Record<string, JsonSchema>>;

/** A small value that a schema takes, as far as the document says what it takes: its example, or what is required. */
export function sampleOfSchema(schema: JsonSchema, schemas: Schemas): unknown {
  if (schema.$ref !== undefined)
    return sampleOfSchema(schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}, schemas);
  for (const known of [schema.example, schema.const, schema.enum?.[0], schema.default])
    if (known !== undefined) return known;
  const [one] = schema.anyOf ?? schema.oneOf ?? [];
  if (one !== undefined) return sampleOfSchema(one, schemas);
  if (schema.allOf !== undefined)
    return Object.assign({}, ...schema.allOf.map((part) => sampleOfSchema(part, schemas)));
  return sampleOfType(schema, schemas);
}

function sampleOfType(schema: JsonSchema, schemas: Schemas): unknown {
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  if (type === "object" || schema.properties !== undefined) {
    const names = schema.required ?? [];
    return Object.fromEntries(
      names.map((name) => [name, sampleOfSchema(schema.properties?.[name] ?? {}, schemas)]),
    );
  }
  if (type === "array")
    return Array.from({ length: schema.minItems ?? 0 }, () =>
      sampleOfSchema(schema.items ?? {}, schemas),
    );
  if (type === "integer" || type === "number")
    return schema.minimum ?? (schema.exclusiveMinimum ?? 0) + 1;
  if (type === "boolean") return true;
  if (type === "null") return null;
  return sampleOfText(schema);
}

function sampleOfText({ format, minLength = 1 }: JsonSchema): string {
  if (format === "date-time") return "2026-01-31T08:00:00Z";
  return "x".repeat(minLength);
}
