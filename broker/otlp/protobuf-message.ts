/** How the bytes of a field are read; what becomes of them is what OTLP's JSON would hold. */
export type Scalar =
  | Text
  | "bool"
  | "double"
  | "fixed64" // 64-bit numbers become decimal text where a double does not hold them
  | "sfixed64"
  | "int32"
  | "sint32"
  | "int64"
  | "uint64";

/** Bytes, and what text is made of them; ids of traces and spans are hexadecimal. */
export type Text = "text" | "hex" | "base64";

export type Field = {
  readonly name: string;
  readonly type: Scalar | Message;
  readonly isRepeated?: true;
  /** A record, a span or a point: there may be `mostRecords` of them. */
  readonly isRecord?: true;
  /** Attributes, most of which repeat from record to record: the same bytes are read once. */
  readonly isRemembered?: true;
  /** A longer text is read to there, and its length told under `cutFrom`. */
  readonly mostBytes?: number;
};

export type Fields = Readonly<Record<number, Field>>;

export type Message = {
  /** By a field's number and wire type, as they stand before its value. */
  readonly byTag: readonly (Field | undefined)[];
  /** Only the last of its fields counts. */
  readonly isOneOf: boolean;
  /** It may hold itself. */
  readonly nests: boolean;
};

const wire = { varint: 0, eight: 1, bytes: 2 } as const;

/** Whether its values are bytes. */
export const isText = (type: Scalar): type is Text =>
  type === "text" || type === "hex" || type === "base64";

/** How a value of this type is written, alone. */
export function wireOf(type: Scalar | Message): number {
  if (typeof type !== "string" || isText(type)) return wire.bytes;
  return type === "double" || type === "fixed64" || type === "sfixed64" ? wire.eight : wire.varint;
}

/** A message by the numbers of its fields. */
export function message(fields: Fields): Message {
  return { byTag: byTag(fields), isOneOf: false, nests: false };
}

/** A message that holds one of its fields, which may hold the message again. */
export function nestingOneOf(fieldsOf: (self: Message) => Fields): Message {
  const tags: (Field | undefined)[] = [];
  const self = { byTag: tags, isOneOf: true, nests: true };
  for (const [tag, field] of byTag(fieldsOf(self)).entries()) tags[tag] = field;
  return self;
}

function byTag(fields: Fields): (Field | undefined)[] {
  const tags: (Field | undefined)[] = [];
  for (const [number, field] of Object.entries(fields)) {
    const own = Number(number) * 8 + wireOf(field.type);
    tags[own] = field;
    // Scalars of a list may be packed.
    if (field.isRepeated === true) tags[Number(number) * 8 + wire.bytes] = field;
  }
  return Array.from(tags); // without holes
}
