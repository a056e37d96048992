import { expect, test } from "vitest";
import { readRootFile } from "../support/run/source-files.ts";
import { ourWords } from "./left-out.ts";
import { routeKey, wireObjects, wireOperations, type WireType, wireWords } from "./wire-types.ts";

type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
};
type Response = { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
type Operation = { readonly operationId: string; readonly responses: Record<string, Response> };
type Document = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

/** What our document has of another type than the facts, and why. What answers show besides, answers.test.ts looks at. */
const others: Readonly<Record<string, string>> = {
  "RunnerProcess.uptime": "Whole nanoseconds, which no number of JavaScript counts exactly.",
  "OrgInvite.status: expired": "Clients that know it not are told pending.",
  "RunnerHealthCheck.status: awaiting-heartbeat disabled": "No process says it of itself.",
  "RunnerJob.group: image-actions": "A group of jobs that only their runners see.",
  "Token.token_type: oauth": "No token is made so yet.",
  "RunnerGroupSettings.aws_auth_method: ": "Left out for them, as every empty word is.",
};

const { paths, components } = JSON.parse(await readRootFile("test/openapi.json")) as Document;
const operations = new Map(
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, operation]) => [routeKey(method, path), operation] as const,
    ),
  ),
);

test("members that clients read have in our document the types that they know, also where no answer of a test shows them", () => {
  const found = new Set<string>();
  let compared = 0;
  const seen = new Set<string>();
  const walk = (type: WireType, schema: Schema, at: string | undefined): void => {
    for (const form of formsOf(schema)) {
      if (at !== undefined && !fits(type, form)) found.add(`${at}${wordsOf(type, form)}`);
      if (type.kind === "list" && form.items !== undefined) walk(type.of, form.items, at);
      else if (type.kind === "list" && form.properties?.["items"] !== undefined)
        walk(type, form.properties["items"], undefined); // a page
      else if (type.kind === "map" && typeof form.additionalProperties === "object")
        walk(type.of, form.additionalProperties, at);
      else if (type.kind === "maybe") walk(type.of, form, at);
      else if (type.kind === "named") look(type.name, form);
    }
  };
  const look = (name: string, { properties = {} }: Schema): void => {
    const key = `${name} ${Object.keys(properties).join()}`;
    if (seen.has(key)) return;
    seen.add(key);
    for (const [member, { type }] of wireObjects.get(name) ?? []) {
      const own = properties[member];
      if (own === undefined) continue;
      compared += 1;
      walk(type, own, `${name}.${member}`);
    }
  };
  for (const { method, path, answers } of wireOperations)
    for (const [status, type] of answers) {
      const { responses = {} } = operations.get(routeKey(method, path)) ?? {};
      const schema = responses[status]?.content?.["application/json"]?.schema;
      if (schema !== undefined) walk(type, schema, undefined);
    }
  expect(compared).toBeGreaterThan(800);
  expect([...found].toSorted()).toEqual(Object.keys(others).toSorted());
});

/** The forms that a schema admits, but for null. */
function formsOf(schema: Schema): readonly Schema[] {
  if (schema.$ref !== undefined)
    return formsOf(components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {});
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (forms.length > 0) return forms.flatMap(formsOf);
  return kindsOf(schema).join() === "null" ? [] : [schema];
}

function kindsOf({ type, enum: words, const: word }: Schema): readonly string[] {
  if ([word, ...(words ?? [])].some((one) => Number.isInteger(one))) return ["integer"];
  if (type !== undefined) return typeof type === "string" ? [type] : type;
  if (words !== undefined) return ["string"];
  return word === undefined ? [] : [typeof word];
}

/** A schema without a type admits all. */
function fits(type: WireType, form: Schema): boolean {
  const kinds = kindsOf(form).filter((kind) => kind !== "null");
  const wanted = wantedOf(type);
  if (wanted === undefined || kinds.length === 0) return true;
  if (!kinds.every((kind) => wanted.includes(kind))) return false;
  return wordsOf(type, form) === "";
}

function wantedOf(type: WireType): readonly string[] | undefined {
  if (type.kind === "any" || type.kind === "none") return undefined;
  if (type.kind === "maybe") return wantedOf(type.of);
  if (type.kind === "list") return ["array"];
  if (type.kind === "map") return ["object"];
  if (type.kind === "number") return ["number", "integer"];
  if (type.kind !== "named") return [type.kind];
  if (wireWords.has(type.name)) return ["string"];
  return wireObjects.has(type.name) ? ["object"] : undefined;
}

/** The words of ours that an enumeration of theirs has not. */
function wordsOf(type: WireType, form: Schema): string {
  const known = type.kind === "named" ? wireWords.get(type.name) : undefined;
  if (known === undefined || type.kind !== "named") return "";
  const words = form.enum ?? (form.const === undefined ? [] : [form.const]);
  const all: readonly unknown[] = [...known, ...(ourWords[type.name] ?? []), null];
  const more = words.filter((word) => !all.includes(word));
  return more.length === 0 ? "" : `: ${more.join(" ")}`;
}
