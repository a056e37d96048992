import type { Slot } from "./evaluate-expression.ts";
import { isMap, type Json } from "./json-value.ts";
import { memberName, memberNamed } from "./member-of.ts";
import type { Change } from "./parse-pipeline.ts";
import type { RenderWork } from "./render-work.ts";
import type { Rendering } from "./rendering.ts";
import { memberTaint, type Taint, taintOfMembers } from "./taint.ts";

/** What a map that is changed came to be; undefined, where that cannot be told. */
type Made = Pick<Slot, "taint" | "isUnsure"> & { readonly found: Json | undefined };
type Part = { readonly found: Json; readonly taint: Taint };

/** Gives a variable the map that was changed, or what it has with that map in it. Other variables keep what they have. */
export function changeSlot(
  { slots, work }: Rendering,
  { slot, fields }: Change,
  { found: part, taint, isUnsure = false }: Made,
): void {
  const before = slots.get(slot);
  const base = before?.found;
  if (part === undefined || base === undefined || fields.length === 0) {
    slots.set(slot, { found: part, taint, isUnsure, path: undefined });
    return;
  }
  const whole = { found: base as Json, taint: before?.taint }; // what is in it was just read
  const made = withPart(whole, fields, { found: part, taint }, work);
  slots.set(slot, { ...made, isUnsure: isUnsure || before?.isUnsure === true, path: undefined });
}

/** A map with another part at these fields, and how sensitive that is. */
function withPart(
  { found, taint }: Part,
  [field, ...below]: readonly string[],
  part: Part,
  work: RenderWork,
): Part {
  if (field === undefined || !isMap(found)) return part;
  const names = Object.keys(found);
  work.spend(names.length);
  const name = memberName(found, field, work) ?? field;
  const member = { found: memberNamed(found, name), taint: memberTaint(taint, name) };
  const made = withPart(member, below, part, work);
  const others = names.map((one) => [one, memberTaint(taint, one)] as const);
  return {
    found: Object.fromEntries([...Object.entries(found), [name, made.found]]),
    taint: taint === true ? true : taintOfMembers([...others, [name, made.taint]]),
  };
}
