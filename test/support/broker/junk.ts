import fc from "fast-check";

/** The parts of a JSON schema that requests are made up from. */
export type RequestSchema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, RequestSchema>>;
  readonly required?: readonly string[];
  readonly items?: RequestSchema;
  readonly additionalProperties?: boolean | RequestSchema;
  readonly anyOf?: readonly RequestSchema[];
  readonly oneOf?: readonly RequestSchema[];
  readonly allOf?: readonly RequestSchema[];
};
export type Schemas = Readonly<Record<string, RequestSchema>>;

const words = [
  "",
  "a",
  "\u0000",
  "\ud800",
  "💥",
  "'; drop table orgs; --",
  "%00",
  "../../etc/passwd",
  "10ms",
  "15m",
  "-1s",
  "99999999999h",
  "2026-11-21T08:00:00Z",
  "2026-02-31T25:61:61Z",
  "-infinity",
  "bm90IGd6aXA=",
  "x".repeat(5000),
] as const;

const numbers = [0, 1, -1, 0.5, 2 ** 31, 2 ** 53, -(2 ** 63), 1e308, 60_000_000_000] as const;

/** A value that no schema asked for. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, [], {}, [[]], { a: null }, ["a"], { __proto__: null }),
  fc.constantFrom<unknown>(...words, ...numbers),
  fc.jsonValue({ maxDepth: 3 }),
);

/** A body that mostly fits the schema, so that it gets far, and is wrong in a place or two. */
export function nearly(
  schema: RequestSchema,
  all: Schemas,
  known: readonly string[],
  depth = 0,
): fc.Arbitrary<unknown> {
  const fitting = fit(schema, all, known, depth);
  return fc.oneof({ arbitrary: fitting, weight: 9 }, { arbitrary: junk, weight: 1 });
}

/** A body that is right, but for one of its members. */
export function oneWrong(
  body: object,
  {
    schema,
    all,
    known,
  }: { readonly schema: RequestSchema; readonly all: Schemas; readonly known: readonly string[] },
): fc.Arbitrary<unknown> {
  const { properties = {} } = all[schema.$ref?.split("/").at(-1) ?? ""] ?? schema;
  const changed = Object.entries(properties).map(([name, member]) =>
    nearly(member, all, known, 1).map((value) => ({ ...body, [name]: value })),
  );
  return fc.oneof(fc.constant(body), ...changed);
}

function fit(
  schema: RequestSchema,
  all: Schemas,
  known: readonly string[],
  depth: number,
): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined)
    return nearly(all[schema.$ref.split("/").at(-1) ?? ""] ?? {}, all, known, depth);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const branches = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (branches !== undefined)
    return fc.oneof(...branches.map((one) => nearly(one, all, known, depth)));
  const [type = "any"] = [schema.type ?? "any"].flat();
  if (type === "string") return fc.constantFrom<unknown>(...words.slice(0, 2), ...known, ...words);
  if (type === "integer" || type === "number") return fc.constantFrom<unknown>(...numbers);
  if (type === "boolean") return fc.boolean();
  if (type === "array")
    return fc.array(nearly(schema.items ?? {}, all, known, depth + 1), { maxLength: 3 });
  if (type === "object" && depth < 5) return objectOf(schema, all, known, depth);
  return junk;
}

function objectOf(
  schema: RequestSchema,
  all: Schemas,
  known: readonly string[],
  depth: number,
): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties: values } = schema;
  if (typeof values === "object") {
    return fc.dictionary(fc.string({ maxLength: 5 }), nearly(values, all, known, depth + 1), {
      maxKeys: 3,
    });
  }
  const members = Object.fromEntries(
    Object.entries(properties).map(([name, member]) => [
      name,
      nearly(member, all, known, depth + 1),
    ]),
  );
  const needed = Object.keys(members).filter((name) => required.includes(name));
  return fc.record(members, { requiredKeys: needed });
}
