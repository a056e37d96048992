import { z } from "zod";
import { configLimits } from "./config-fault.ts";
import { type AppConfigDocument, configSchema } from "./config-files.ts";
import { treeSchema } from "./config-schemas.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isTable } from "./rules/rule.ts";

type Issue = z.core.$ZodIssue;
type Parsed =
  | { readonly document: AppConfigDocument }
  | { readonly document: undefined; readonly issues: readonly Issue[] };

type Table = Record<string, unknown>;
type List = {
  readonly path: readonly string[];
  readonly items: readonly unknown[];
  readonly schema: z.ZodType;
};

/**
 * Parses a config by its schema, the things of its lists one by one: what is wrong in it is no more at once than one file
 * has, and ends with as many faults as are counted.
 */
export function parseConfig(tree: Readonly<Table>): Parsed {
  const frame: Table = { ...tree };
  const lists = [...takeLists(frame)];
  const read = configSchema.safeParse(frame);
  const issues: Issue[] = [...(read.error?.issues ?? [])];
  const document: Table = { ...read.data };
  for (const list of lists) {
    const done = parseItems(list, issues);
    if (done !== undefined) putList(document, list.path, done);
  }
  if (issues.length > 0) return { document: undefined, issues };
  return { document: document as AppConfigDocument }; // its frame and its lists are what the schema says
}

/** The elements of a list; undefined where one is wrong, or enough is. */
function parseItems({ path, items, schema }: List, issues: Issue[]): unknown[] | undefined {
  const done: unknown[] = [];
  for (const [at, item] of items.entries()) {
    if (issues.length >= configLimits.counted) break;
    const one = schema.safeParse(item);
    if (one.success) done.push(one.data);
    else for (const issue of one.error.issues) issues.push(below(issue, [...path, at]));
  }
  return issues.length > 0 ? undefined : done;
}

const below = (issue: Issue, path: readonly (string | number)[]): Issue => ({
  ...issue,
  path: [...path, ...issue.path],
});

/** Takes the elements of the lists of sections out of them; a list that is too long stays, and is refused as a whole. */
function* takeLists(frame: Table): Generator<List> {
  for (const [section, optional] of Object.entries(configSchema.shape)) {
    const schema = unwrapped(optional);
    const value = frame[section];
    const known = treeSchema().properties?.[section];
    if (schema instanceof z.ZodArray) {
      yield* takeList(frame, section, { path: [section], schema, known });
    } else if (schema instanceof z.ZodObject && isTable(value)) {
      const table = { ...value };
      frame[section] = table;
      for (const [member, one] of Object.entries(schema.shape)) {
        const path = [section, member];
        const place = {
          path,
          schema: unwrapped(one as z.ZodType),
          known: known?.properties?.[member],
        };
        yield* takeList(table, member, place);
      }
    }
  }
}

type Place = {
  readonly path: readonly string[];
  readonly schema: z.ZodType;
  readonly known: JsonSchema | undefined;
};

function* takeList(into: Table, key: string, { path, schema, known }: Place): Generator<List> {
  const items = into[key];
  if (!(schema instanceof z.ZodArray) || !Array.isArray(items)) return;
  if (items.length > (known?.maxItems ?? 0)) return;
  into[key] = [];
  yield { path, items, schema: schema.element as z.ZodType };
}

function putList(document: Table, path: readonly string[], list: unknown[]): void {
  const [section = "", member] = path;
  if (member === undefined) document[section] = list;
  else document[section] = { ...(document[section] as Table), [member]: list }; // a table, by its schema
}

const unwrapped = (schema: z.ZodType): z.ZodType =>
  schema instanceof z.ZodOptional ? (schema.unwrap() as z.ZodType) : schema;
