import { isList, isMap, type Json, textOf } from "./json-value.ts";

/**
 * What of a value is sensitive: all of it, or what its members are, by name or by number. Of a map or list that is not sensitive as a
 * whole, who its members are is known to everybody.
 */
export type Sensitive = true | { readonly [name: string]: Sensitive };

/** How sensitive a value is; undefined: not at all. */
export type Taint = Sensitive | undefined;

/** How sensitive a member is. */
export function memberTaint(taint: Taint, name: string): Taint {
  if (taint === undefined || taint === true) return taint;
  return Object.hasOwn(taint, name) ? taint[name] : undefined;
}

/** How sensitive a map or list of these members is; the last of one name counts. */
export function taintOfMembers(members: Iterable<readonly [string, Taint]>): Taint {
  const found = Object.entries(Object.fromEntries(members)).filter(
    (member): member is [string, Sensitive] => member[1] !== undefined,
  );
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

/** The texts within a map or list that must not be seen, where this is sensitive of it. */
export function* sensitiveTexts(value: Json, taint: Taint): Generator<string> {
  if (taint === undefined) return;
  if (isList(value) || isMap(value)) {
    const members: Iterable<readonly [string | number, Json]> = isList(value)
      ? value.entries()
      : Object.entries(value);
    for (const [name, one] of members) yield* sensitiveTexts(one, memberTaint(taint, String(name)));
  } else if (taint === true) yield textOf(value);
}
