import { expect, test } from "vitest";
import { readRootFile } from "../support/run/source-files.ts";
import { routeKey, type WireType, wireObjects, wireOperations } from "./wire-types.ts";

type Schema = {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
};
type Operation = {
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
};
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

const document = JSON.parse(await readRootFile("test/openapi.json")) as Document;
const ours = new Map(
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [routeKey(method, path), operation] as const,
    ),
  ),
);

test("routes take every member that clients send, and demand no other", () => {
  const left: string[] = [];
  const tell = (at: string): void => void left.push(at);
  for (const { method, path, body } of wireOperations) {
    const operation = ours.get(routeKey(method, path));
    const schema = operation?.requestBody?.content["application/json"]?.schema;
    if (schema !== undefined) compare(body, schema, { at: `${method} ${path} #`, tell });
  }
  expect(left).toEqual([]);
});

type Comparing = { readonly at: string; readonly tell: (at: string) => void };

function compare(type: WireType, schema: Schema, { at, tell }: Comparing): void {
  if (type.kind === "maybe") return compare(type.of, schema, { at, tell });
  const { items, members, required, isOpen } = shapeOf(schema);
  if (type.kind === "list" && items !== undefined)
    return compare(type.of, items, { at: `${at}/[]`, tell });
  const sent = type.kind === "named" ? wireObjects.get(type.name) : undefined;
  if (sent === undefined && type.kind !== "none" && type.kind !== "map") return;
  for (const name of required) if (sent?.has(name) !== true) tell(`${at}/${name}`);
  for (const [name, member] of sent ?? []) {
    const own = members.get(name);
    if (own !== undefined) compare(member.type, own, { at: `${at}/${name}`, tell });
    else if (!isOpen) tell(`${at}/${name}`);
  }
}

type Shape = {
  readonly members: ReadonlyMap<string, Schema>;
  readonly required: readonly string[];
  readonly items: Schema | undefined;
  readonly isOpen: boolean;
};

function shapeOf(given: Schema): Shape {
  const name = given.$ref?.split("/").at(-1);
  const schema = name === undefined ? given : (document.components.schemas[name] ?? {});
  const { properties = {}, required = [], anyOf = [], oneOf = [], allOf = [] } = schema;
  const forms = [...anyOf, ...oneOf, ...allOf].map(shapeOf);
  const says = Object.keys(schema).some((key) => key !== "description" && key !== "default");
  const { additionalProperties: more = false } = schema;
  return {
    members: new Map([...forms.flatMap((one) => [...one.members]), ...Object.entries(properties)]),
    required,
    items: schema.items ?? forms.find(({ items }) => items !== undefined)?.items,
    isOpen: !says || more !== false || forms.some(({ isOpen }) => isOpen),
  };
}
