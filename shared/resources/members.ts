import { z } from "@hono/zod-openapi";

/** What the database has of a member. */
export type ColumnKind = "text" | "int" | "number" | "flag" | "instant" | "json" | "list";

/** One member of a resource: what it is on the wire, and how what the database has becomes that. */
export type Member<Schema extends z.ZodType = z.ZodType, Stored = never> = {
  readonly schema: Schema;
  readonly kind: ColumnKind;
  readonly show: (stored: Stored) => z.output<Schema>;
};
export type Members = Readonly<Record<string, Member>>;

/** The members of an item, by what each member is on the wire. */
export type ShapeOf<All extends Members> = { [Name in keyof All]: All[Name]["schema"] };
/** A row, by what the database has of each member. */
export type RowOf<All extends Members> = {
  readonly [Name in keyof All]: All[Name] extends Member<z.ZodType, infer Stored> ? Stored : never;
};

/** A text. */
export const text = (says?: string): Member<z.ZodString, string> =>
  same("text", told(z.string(), says));

/** One of several words. */
export const word = <const Words extends readonly string[]>(
  words: Words,
  says?: string,
): Member<z.ZodEnum<{ [Word in Words[number]]: Word }>, Words[number]> =>
  same("text", told(z.enum(words), says));

/** A whole number. */
export const int = (says?: string): Member<z.ZodInt, number> => same("int", told(z.int(), says));

/** A number, whole or not. */
export const number = (says?: string): Member<z.ZodNumber, number> =>
  same("number", told(z.number(), says));

/** Yes or no. */
export const flag = (says?: string): Member<z.ZodBoolean, boolean> =>
  same("flag", told(z.boolean(), says));

/** An instant, as text on the wire. */
export const instant = (says?: string): Member<z.ZodISODateTime, Date> => ({
  schema: told(z.iso.datetime(), says),
  kind: "instant",
  show: (at) => at.toISOString(),
});

/** An array of texts or words. */
export const list = <Item extends z.ZodType<string>>(
  item: Item,
  says?: string,
): Member<z.ZodArray<Item>, z.output<z.ZodArray<Item>>> => same("list", told(z.array(item), says));

/** JSON as it is stored, which is of this schema. */
export const json = <Schema extends z.ZodType>(
  schema: Schema,
  says?: string,
): Member<Schema, z.output<Schema>> => same("json", told(schema, says));

/** The same, or null. */
export const orNull = <Schema extends z.ZodType, Stored>(
  { schema, kind, show }: Member<Schema, Stored>,
  says?: string,
): Member<z.ZodNullable<Schema>, Stored | null> => ({
  schema: told(z.nullable(schema), says),
  kind,
  show: (stored) => (stored === null ? null : show(stored)),
});

/** The same, or left out where the database has null. */
export const orAbsent = <Schema extends z.ZodType, Stored>({
  schema,
  kind,
  show,
}: Member<Schema, Stored>): Member<z.ZodOptional<Schema>, Stored | null> => ({
  schema: schema.optional(),
  kind,
  show: (stored) => (stored === null ? undefined : show(stored)),
});

/** With an example in the reference. */
export const like = <Schema extends z.ZodType, Stored>(
  member: Member<Schema, Stored>,
  example: string,
): Member<Schema, Stored> => ({ ...member, schema: member.schema.openapi({ example }) });

/** What all things of an org have. */
export const owned = { id: text(), org_id: text() } as const;
/** Who made a thing, and when. */
export const made = { created_at: instant(), created_by_id: text() } as const;

function same<Schema extends z.ZodType>(
  kind: ColumnKind,
  schema: Schema,
): Member<Schema, z.output<Schema>> {
  return { schema, kind, show: (stored) => stored };
}

function told<Schema extends z.ZodType>(schema: Schema, says: string | undefined): Schema {
  return says === undefined ? schema : schema.describe(says);
}
