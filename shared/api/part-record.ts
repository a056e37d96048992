import { z } from "@hono/zod-openapi";
import { recordNamesOf } from "../app-config/record-names.ts";

/** A part of a stored config, or of a list in it. */
export type Stored = Readonly<Record<string, unknown>>;
/** A member that a record has in another way than the file: what it is, and how it is read from the part. Undefined: left out. */
type Made = {
  readonly schema: z.ZodType;
  readonly read: (part: Stored, whole: Stored) => unknown;
};

/** What the API shows of a part of a config: its schema, and how it is read from what is stored, and from the members of the record that it is in. */
export type PartRecord = {
  readonly schema: z.ZodObject;
  readonly read: (part: Stored, whole?: Stored) => Stored;
};

/** What a part has of the record that it is in, with which it is made. */
export const ofWhole = {
  created_at: z.iso.datetime(),
  created_by_id: z.string(),
  updated_at: z.iso.datetime(),
} as const;
/** The same of what is directly in a config. */
export const ofConfig = {
  org_id: z.string(),
  app_id: z.string(),
  app_config_id: z.string(),
  ...ofWhole,
} as const;

/**
 * - of: by which names records have the file's members (record-names.ts), where that is not by the same.
 * - made: members that are read in another way, or that the file has not.
 * - also: members that come from elsewhere.
 * - within: members of the record that it is in, which it has, too.
 */
type RecordSpec = {
  readonly file?: z.ZodObject;
  readonly of?: string;
  readonly made?: Readonly<Record<string, Made>>;
  readonly also?: z.ZodRawShape;
  readonly within?: Readonly<Record<string, z.ZodType>>;
};

/**
 * A record of the API, by the schema of the file that it comes from. Members that the file does not give are left out, and so are words that are
 * empty.
 */
export function partRecord(
  name: string,
  { file, of, made = {}, also = {}, within = {} }: RecordSpec,
): PartRecord {
  const names = Object.entries(of === undefined ? {} : recordNamesOf(of));
  const recordName = (member: string) => names.find(([, is]) => is === member)?.[0] ?? member;
  const plain = Object.entries(file?.shape ?? {})
    .map(([member, schema]) => ({
      member,
      as: recordName(member),
      schema: schema as z.ZodType,
      isWord: schema instanceof z.ZodOptional && schema.unwrap() instanceof z.ZodEnum,
    }))
    .filter(({ as }) => !(as in made));
  const schema = z
    .object({
      ...also,
      ...Object.fromEntries(Object.entries(within).map(([as, one]) => [as, one.optional()])),
      ...Object.fromEntries(plain.map(({ as, schema: given }) => [as, shown(given)])),
      ...Object.fromEntries(Object.entries(made).map(([as, one]) => [as, one.schema.optional()])),
    })
    .openapi(name);
  const read = (part: Stored, whole: Stored = {}): Stored => {
    const record: Record<string, unknown> = {};
    for (const name of Object.keys(within)) if (name in whole) record[name] = whole[name];
    for (const { member, as, isWord } of plain) {
      const value = part[member];
      if (value !== undefined && !(isWord && value === "")) record[as] = value;
    }
    for (const [as, one] of Object.entries(made)) {
      const value = one.read(part, whole);
      if (value !== undefined) record[as] = value;
    }
    return record;
  };
  return { schema, read };
}

/** A list of records. */
export const listOf = ({ schema, read }: PartRecord, member: string): Made => ({
  schema: z.array(schema),
  read: (part, whole) => listIn(part, member).map((one) => read(one, whole)),
});

/** A list of a part, empty where it has none. */
export const listIn = (part: Stored, member: string): readonly Stored[] =>
  (part[member] ?? []) as readonly Stored[]; // a checked config's

/** A member with a value of its own where the file has none. */
export const or = (schema: z.ZodType, member: string, value: unknown): Made => ({
  schema,
  read: (part) => part[member] ?? value,
});

/** What a file's member is in answers: the same type, without what only a file must meet. */
function shown(schema: z.ZodType): z.ZodType {
  const described = typeOf(schema);
  return schema.description === undefined ? described : described.describe(schema.description);
}

function typeOf(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional) return shown(schema.unwrap() as z.ZodType).optional();
  if (schema instanceof z.ZodString) return z.string();
  if (schema instanceof z.ZodEnum) return z.enum(schema.options as readonly string[]);
  if (schema instanceof z.ZodBoolean) return z.boolean();
  if (schema instanceof z.ZodNumber) return z.int();
  if (schema instanceof z.ZodArray) return z.array(shown(schema.element as z.ZodType));
  if (schema instanceof z.ZodRecord)
    return z.record(z.string(), shown(schema.valueType as z.ZodType));
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape);
    return z.object(
      Object.fromEntries(members.map(([name, of]) => [name, shown(of as z.ZodType)])),
    );
  }
  return z.unknown();
}
