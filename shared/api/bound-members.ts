const mostTextLength = 1000;
const mostListLength = 20;
const mostMembers = 50;

type Members<Value> = Readonly<Record<string, Value>>;
export type MemberBounds<Value> = {
  /** Of its JSON. */
  readonly mostBytes: number;
  /** The members that are left where nothing else would do. */
  readonly kept: readonly string[];
  /** What `truncated` says of one that was cut. */
  readonly truncated: Value;
};

/** The members of an object that is cut, and says so, when its JSON is too large; those that matter are kept longest. */
export function boundMembers<Value>(
  given: Members<Value>,
  { mostBytes, kept, truncated }: MemberBounds<Value>,
): Members<Value> {
  if (sizeOf(given) <= mostBytes) return given;
  const short = cutMembers(given);
  if (sizeOf(short) < mostBytes - sizeOf({ truncated })) return { ...short, truncated };
  const plain = kept.flatMap((name) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return isPlain(value) ? [[name, value] as const] : [];
  });
  return { ...cutMembers(Object.fromEntries(plain)), truncated };
}

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const isPlain = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "boolean";

function cutMembers<Value>(given: Members<Value>): Members<Value> {
  const kept = Object.entries(given).slice(0, mostMembers);
  return Object.fromEntries(
    kept.map(([name, member]) => [cutAt(name), cut(member)]),
  ) as Members<Value>; // a text stays one
}

function cut(value: unknown): unknown {
  if (typeof value === "string") return cutAt(value);
  if (Array.isArray(value)) return value.slice(0, mostListLength).map(cut);
  return typeof value === "object" && value !== null
    ? cutMembers(value as Members<unknown>)
    : value;
}

/** Half a character would be none. */
const cutAt = (text: string): string =>
  text.length <= mostTextLength ? text : text.slice(0, mostTextLength).toWellFormed();
