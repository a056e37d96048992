import { z } from "zod";
import type { Path } from "./config-fault.ts";
import { type ConfigFile, configFiles, configSchema } from "./config-files.ts";
import type { JsonSchema } from "./json-schema.ts";
import { permissions } from "./members/permission-members.ts";
import { withOtherNames } from "./with-other-names.ts";

/** The names by which editors ask for a schema. */
export const configSchemaTypes: readonly string[] = [
  ...new Set(configFiles.map(({ type }) => type)),
  "config",
];

/** The JSON Schema of one kind of file, or of the whole JSON document; undefined for no type. */
export function configSchemaOf(type: string): JsonSchema | undefined {
  const known = madeSchemas.get(type);
  if (known !== undefined) return known;
  const made = makeSchemaOf(type);
  if (made !== undefined) madeSchemas.set(type, made);
  return made;
}

/** To make one of all files takes some ten milliseconds. */
const madeSchemas = new Map<string, JsonSchema>();

function makeSchemaOf(type: string): JsonSchema | undefined {
  if (type === "config") return documentSchema();
  const file = configFiles.find((one) => one.type === type);
  return file && { ...schemaOfFile(file), description: file.is };
}

/** The schema of the config as one tree by its sections. */
export const treeSchema = (): JsonSchema => (madeTreeSchema ??= schemaOf(configSchema));

let madeTreeSchema: JsonSchema | undefined;

/** The schema of what is at a path of a value; the value tells which of several schemas it is. */
export function schemaAt(path: Path, value: unknown): JsonSchema | undefined {
  let schema: JsonSchema | undefined = treeSchema();
  let at = value;
  for (const key of path) {
    schema = inner(chosen(schema, at), key);
    at = (at as Record<string | number, unknown> | null | undefined)?.[key];
    if (schema === undefined) return undefined;
  }
  return chosen(schema, at);
}

/** The schema of a member or an element. */
export function inner(
  schema: JsonSchema | undefined,
  key: string | number,
): JsonSchema | undefined {
  if (typeof key === "number") return schema?.items;
  const known = schema?.properties;
  if (known !== undefined && Object.hasOwn(known, key)) return known[key];
  const others = schema?.additionalProperties;
  return typeof others === "object" ? others : undefined;
}

/** Of several schemas the one whose `type` this value has. */
export function chosen(schema: JsonSchema | undefined, value: unknown): JsonSchema | undefined {
  const several = schema?.oneOf ?? schema?.anyOf;
  if (several === undefined) return schema;
  const type = (value as { readonly type?: unknown } | null | undefined)?.type;
  return several.find(({ properties }) => {
    const { const: only, enum: words } = properties?.["type"] ?? {};
    return type !== undefined && (only === type || words?.includes(type) === true);
  });
}

function schemaOf(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    target: "draft-7",
    io: "input",
    unrepresentable: "any",
    reused: "inline",
  }) as JsonSchema; // as much of it as is read here
}

const schemaOfFile = (file: ConfigFile): JsonSchema => withOtherNames(file, ownSchemaOf(file));

/** A file of the folder permissions/ is one of several things. */
function ownSchemaOf(file: ConfigFile): JsonSchema {
  if (file.type !== "permission") return schemaOf(file.schema);
  const { properties = {} } = schemaOf(permissions);
  const kinds: Record<string, JsonSchema | undefined> = {
    provision: properties["provision_role"],
    deprovision: properties["deprovision_role"],
    maintenance: properties["maintenance_role"],
    custom: properties["custom_roles"]?.items,
    named_policy: properties["named_policies"]?.items,
  };
  const oneOf = Object.entries(kinds).map(([kind, schema]): JsonSchema => {
    const type = { const: kind, description: "What this file is." };
    const required = ["type", ...(schema?.required ?? [])];
    return { ...schema, properties: { type, ...schema?.properties }, required };
  });
  return { oneOf };
}

const isSchema = (schema: JsonSchema | boolean | undefined): schema is JsonSchema =>
  typeof schema === "object";

function documentSchema(): JsonSchema {
  const folders = new Map<string, JsonSchema>();
  for (const file of configFiles) {
    const [folder, inner] = file.folder?.split("/") ?? [];
    if (folder === undefined) continue;
    const schema = schemaOfFile(file);
    const outer = inner === undefined ? undefined : folders.get(folder);
    folders.set(folder, {
      type: "object",
      description: outer?.description ?? file.is,
      additionalProperties: isSchema(outer?.additionalProperties)
        ? { anyOf: [outer.additionalProperties, schema] }
        : schema,
    });
  }
  const files = configFiles.flatMap((one): [string, JsonSchema][] =>
    one.file === undefined ? [] : [[one.file, { ...schemaOfFile(one), description: one.is }]],
  );
  return {
    type: "object",
    properties: Object.fromEntries([...files, ...folders]),
    required: ["metadata.toml"],
    additionalProperties: false,
  };
}
