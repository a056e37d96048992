import { readRootFile } from "../run/source-files.ts";

/** A schema of the API's description. */
export type Schema = {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly [member: string]: unknown;
};
type Operation = {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
};

const document = JSON.parse(await readRootFile("test/openapi.json")) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** Every operation of the API, as it is described. */
export const operations: readonly Operation[] = Object.values(document.paths).flatMap((methods) =>
  Object.values(methods),
);

/** What the query and the body of a request name by such members, place by place. */
export function namedInRequest(
  { parameters = [], requestBody }: Operation,
  naming: RegExp,
): string[] {
  return [
    ...parameters.flatMap((one) => (one.in === "query" && naming.test(one.name) ? [one.name] : [])),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => namedIn(schema, naming)),
  ];
}

/** The places of a schema that have such a name, member by member. */
export function namedIn(schema: Schema, naming: RegExp, at: readonly string[] = []): string[] {
  if (at.length > 12) return [];
  const ref = schema.$ref?.split("/").at(-1);
  const whole = ref === undefined ? schema : (document.components.schemas[ref] ?? {});
  return Object.entries(whole).flatMap(([keyword, value]) => {
    if (keyword === "properties")
      return Object.entries(value as Readonly<Record<string, Schema>>).flatMap(([name, inner]) => [
        ...(naming.test(name) ? [[...at, name].join(".")] : []),
        ...namedIn(inner, naming, [...at, name]),
      ]);
    const inner = Array.isArray(value) ? value : [value];
    return inner.flatMap((one) => (isSchema(one) ? namedIn(one, naming, at) : []));
  });
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
