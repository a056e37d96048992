import { z } from "@hono/zod-openapi";
import { compositeStatusSchema } from "../../../shared/api/composite-status.ts";
import { inputValues } from "../../../shared/api/install-inputs.ts";
import { inviteStatuses } from "../../../shared/api/invites.ts";
import { toTheirStatus } from "../../../shared/their-status.ts";

/** Turns a value of a schema into what clients of the API other than our own programs can read. */
type ToTheirs = (value: unknown) => unknown;
type Members = Readonly<Record<string, unknown>>;

const known = new WeakMap<z.ZodType, ToTheirs | "same">();

/**
 * How answers of a schema are told to clients that are made of other documents: an object, a list or a word of an enumeration that
 * is null is left out, an empty word, too, values of inputs are texts, and statuses have a word that they know. undefined: as they are.
 */
export function toTheirsOf(schema: z.ZodType): ToTheirs | undefined {
  const found = known.get(schema);
  if (found !== undefined) return found === "same" ? undefined : found;
  known.set(schema, "same"); // a schema that has itself within is not followed
  const made = make(schema);
  known.set(schema, made ?? "same");
  return made;
}

function make(schema: z.ZodType): ToTheirs | undefined {
  if (schema === compositeStatusSchema) return theirStatus;
  if (schema === inputValues) return theirTexts;
  if (schema instanceof z.ZodEnum) return ofWords(schema.options);
  if (schema instanceof z.ZodObject) return ofObject(schema.shape);
  if (schema instanceof z.ZodArray) return ofList(toTheirsOf(schema.element as z.ZodType));
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return toTheirsOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodUnion) return ofUnion(schema.options as readonly z.ZodType[]);
  return undefined;
}

function ofObject(shape: Readonly<Record<string, z.ZodType>>): ToTheirs | undefined {
  const changes = Object.entries(shape).flatMap(([name, schema]) => {
    const change = toTheirsOf(schema);
    const isLeft = leavesOut(name, schema);
    return change === undefined && isLeft === undefined ? [] : [{ name, change, isLeft }];
  });
  if (changes.length === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return value;
    const told = { ...value };
    for (const { name, change, isLeft } of changes) {
      if (!(name in told)) continue;
      if (isLeft?.(told[name]) === true) delete told[name];
      else if (change !== undefined) told[name] = change(told[name]);
    }
    return told;
  };
}

function ofList(change: ToTheirs | undefined): ToTheirs | undefined {
  if (change === undefined) return undefined;
  return (value) => (Array.isArray(value) ? value.map(change) : value);
}

/** Of several forms: null and texts stay, and of a list and a page, or of two objects, each change goes where it fits. */
function ofUnion(options: readonly z.ZodType[]): ToTheirs | undefined {
  const changes = options.flatMap((one) => toTheirsOf(one) ?? []);
  if (changes.length === 0) return undefined;
  return (value) => changes.reduce((told, change) => change(told), value);
}

/** When a member is left out; undefined for one that never is. A group of jobs may be empty, and clients know that. */
function leavesOut(name: string, schema: z.ZodType): ((value: unknown) => boolean) | undefined {
  const forms = formsOf(schema);
  const isWord = forms.some((one) => one instanceof z.ZodEnum);
  const isThing = forms.some(
    (one) => one instanceof z.ZodObject || one instanceof z.ZodRecord || one instanceof z.ZodArray,
  );
  if (isWord && name !== "group") return (value) => value === null || value === "";
  if (forms.every((one) => one instanceof z.ZodNull)) return (value) => value === null;
  return isThing && forms.some((one) => one instanceof z.ZodNull)
    ? (value) => value === null
    : undefined;
}

function formsOf(schema: z.ZodType): readonly z.ZodType[] {
  if (schema instanceof z.ZodOptional) return formsOf(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodNullable) return [...formsOf(schema.unwrap() as z.ZodType), z.null()];
  if (schema instanceof z.ZodUnion)
    return (schema.options as readonly z.ZodType[]).flatMap(formsOf);
  return [schema];
}

/** Words of ours in an enumeration that clients know without them, by all words that it has here. */
const words = [[inviteStatuses, { expired: "pending" }]] as const;

function ofWords(options: readonly unknown[]): ToTheirs | undefined {
  const row = words.find(([all]) => all.join() === options.join());
  if (row === undefined) return undefined;
  const others = new Map<unknown, string>(Object.entries(row[1]));
  return (value) => others.get(value) ?? value;
}

const textOf = (one: unknown): string => (typeof one === "string" ? one : JSON.stringify(one));

/** Inputs are texts to them. */
function theirTexts(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, textOf(one)]));
}

function theirStatus(value: unknown): unknown {
  if (!isObject(value)) return value;
  const entry = (one: unknown) =>
    isObject(one) ? { ...one, status: toTheirStatus(String(one["status"])) } : one;
  const history: unknown = value["history"];
  return {
    ...(entry(value) as Members),
    history: Array.isArray(history) ? history.map(entry) : history,
  };
}

const isObject = (value: unknown): value is Members & Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
