import type { Change } from "./change.ts";
import type { MemberChange } from "./diff-objects.ts";

const isThere = "(secret)";
const differs = "(another secret)";

/** A change that may be shown: of a Secret's values it says only which exist and which change. */
export function maskedChange(change: Change): Change {
  const { apiVersion, kind } = change.ref;
  if (apiVersion !== "v1" || kind !== "Secret") return change;
  return { ...change, changes: change.changes.map(maskedMember) };
}

function maskedMember(member: MemberChange): MemberChange {
  const { path, before, after } = member;
  if (path === "") return both(member, maskedObject(before), maskedObject(after));
  if (!/^data(?:$|[.[])/.test(path)) return member;
  return both(member, masked(before, isThere), masked(after, before ? differs : isThere));
}

function both({ path, ...given }: MemberChange, before: unknown, after: unknown): MemberChange {
  return { path, ...("before" in given && { before }), ...("after" in given && { after }) };
}

/** A whole Secret, of whose values it says only which there are. */
export function maskedObject(object: unknown): unknown {
  if (typeof object !== "object" || object === null || !("data" in object)) return object;
  return { ...object, data: masked(object.data, isThere) };
}

/** One value, or all of them. */
function masked(value: unknown, word: string): unknown {
  if (typeof value !== "object" || value === null) return word;
  return Object.fromEntries(Object.keys(value).map((name) => [name, word]));
}
