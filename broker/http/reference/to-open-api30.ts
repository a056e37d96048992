type Node = Readonly<Record<string, unknown>>;

/**
 * An OpenAPI 3.1 document as one of 3.0, for generators of clients that read no other: the same paths and schemas, with
 * `nullable` for what may be null, and the webhooks as `x-webhooks`.
 */
export function toOpenApi30(document: object): object {
  const { webhooks, ...rest } = converted(document as Node); // a document is JSON
  return { ...rest, openapi: "3.0.3", "x-webhooks": webhooks };
}

/** Any part of the document, with the schemas in it converted; examples are values, whatever they look like. */
function converted(node: Node): Node {
  return mapValues(node, (value, key) => {
    if (key === "schema") return toSchema(value);
    if (key === "schemas") return mapValues(value as Node, toSchema);
    return key === "example" ? value : within(value, converted);
  });
}

/** What members of a schema are: one schema, a list of them, or one under each name. */
const members: Readonly<Record<string, (value: unknown) => unknown>> = {
  items: toSchema,
  not: toSchema,
  additionalProperties: toSchema,
  properties: (value) => mapValues(value as Node, toSchema),
  allOf: toSchemas,
  anyOf: toSchemas,
  oneOf: toSchemas,
};

function toSchema(value: unknown): unknown {
  if (!isNode(value)) return value; // additionalProperties may be true or false
  const { $ref, ...given } = value;
  const schema = withOldWords(mapValues(given, (of, key) => members[key]?.(of) ?? of));
  if ($ref === undefined) return withoutNullType(withoutNullForms(schema));
  return Object.keys(schema).length === 0 ? { $ref } : { ...schema, allOf: [{ $ref }] };
}

function toSchemas(value: unknown): unknown {
  return (value as readonly unknown[]).map(toSchema);
}

/** The words that 3.0 has others for. */
function withOldWords({
  const: only,
  examples,
  exclusiveMinimum,
  exclusiveMaximum,
  ...rest
}: Node) {
  return {
    ...rest,
    ...(only !== undefined && { enum: [only] }),
    ...(Array.isArray(examples) && { example: examples[0] as unknown }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  };
}

/** `anyOf` and `oneOf` without null among them; what has one other form is that form. */
function withoutNullForms(schema: Node): Node {
  const word = ["anyOf", "oneOf"].find((one) => schema[one] !== undefined);
  if (word === undefined) return schema;
  const { [word]: given, ...rest } = schema;
  const forms = given as readonly Node[];
  const others = forms.filter((form) => !isNull(form));
  if (others.length === forms.length) return schema;
  const [first = {}, second] = others;
  if (second !== undefined) return { ...rest, [word]: others, nullable: true };
  return { ...("$ref" in first ? { allOf: [first] } : first), ...rest, nullable: true };
}

/** A list of types as one type, as a choice of them, or as none where null is all there is. */
function withoutNullType(schema: Node): Node {
  const { type, ...rest } = schema;
  const types = [type].flat().filter((one) => one !== undefined);
  const others = types.filter((one) => one !== "null");
  const isNullable = others.length < types.length;
  const nullable = isNullable && { nullable: true };
  if (others.length > 1)
    return { ...rest, anyOf: others.map((one) => ({ type: one })), ...nullable };
  if (others.length === 1) return { type: others[0], ...rest, ...nullable };
  return isNullable ? { ...rest, enum: [null], ...nullable } : rest;
}

/** What toSchema makes of `{type: "null"}`. */
function isNull({ enum: values, type }: Node): boolean {
  return type === undefined && Array.isArray(values) && values.length === 1 && values[0] === null;
}

function within(value: unknown, convert: (node: Node) => Node): unknown {
  if (Array.isArray(value)) return value.map((one) => within(one, convert));
  return isNode(value) ? convert(value) : value;
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function mapValues(
  node: Node,
  map: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, map(value, key)]));
}
