import type { ShownFields } from "./diff-fields.ts";
import {
  type PlanView,
  type ViewAction,
  viewBounds,
  type ViewChange,
  type ViewOutput,
} from "./plan-view.ts";
import { cutText, type Hide } from "./shown-value.ts";

/** A change whose fields are looked into only when there is room for them. */
export type DraftChange = Omit<ViewChange, "fields" | "is_cut"> & {
  readonly fieldsOf: () => ShownFields;
};

/** A view, whose lists may be of any length. */
export type DraftView = Pick<PlanView, "tool" | "summary" | "drift" | "is_noop" | "text"> & {
  readonly changes: readonly DraftChange[];
  readonly outputs?: readonly ViewOutput[];
  readonly drifted?: readonly DraftChange[];
};

/** What is worst to oversee is shown first, where there is no room for all. */
const ranks: Readonly<Record<ViewAction, number>> = {
  remove: 0,
  replace: 0,
  conflict: 0,
  forget: 1,
  change: 2,
  add: 3,
  import: 3,
  keep: 4,
  read: 5,
};

/** Names may take this part of a view, so that something is left for what changes in them. */
const namesBytes = viewBounds.totalBytes / 2;
/** What holds the lists together. */
const frameBytes = 8 * 1024;

/** Less is not worth a look into what changes. */
const leastRoom = 64;

/** A view within its bounds: what it has no room for is counted. */
export function makePlanView(draft: DraftView, hide: Hide): PlanView {
  const { tool, summary, drift, is_noop, changes, outputs = [], drifted = [] } = draft;
  const room = { bytes: viewBounds.totalBytes - frameBytes };
  const names = { bytes: namesBytes };
  const heads = chosen(changes, { most: viewBounds.changes, room: names, hide });
  const driftHeads = chosen(drifted, {
    most: viewBounds.changes - heads.length,
    room: names,
    hide,
  });
  room.bytes -= namesBytes - names.bytes;
  const shownOutputs = outputs.slice(0, viewBounds.outputs).filter((output) => fits(output, room));
  for (const head of [...heads, ...driftHeads].toSorted(byRank)) fill(head, room);
  const given = changes.length + drifted.length + outputs.length;
  const words = draft.text === undefined ? undefined : textWithin(hide(draft.text), room.bytes);
  return {
    kind: "plan_view",
    tool,
    summary,
    ...(drift !== undefined && { drift }),
    is_noop,
    changes: heads.map(({ shown }) => shown),
    outputs: shownOutputs,
    drifted: driftHeads.map(({ shown }) => shown),
    left_out: given - heads.length - driftHeads.length - shownOutputs.length,
    ...(words !== undefined && { text: words.text }),
    ...(words?.isCut === true && { is_text_cut: true }),
  };
}

type Room = { bytes: number };
type Head = { readonly at: number; readonly draft: DraftChange; shown: ViewChange };

/** At most so many of the changes, the worst to oversee first, in their own order. */
export function worstOf<Change extends { readonly action: ViewAction }>(
  changes: readonly Change[],
  most: number,
): readonly Change[] {
  if (changes.length <= most) return changes;
  const worst = changes.toSorted((a, b) => ranks[a.action] - ranks[b.action]).slice(0, most);
  const chosenOnes = new Set(worst);
  return changes.filter((change) => chosenOnes.has(change));
}

/** The changes there is room for, without fields, in their own order. */
function chosen(
  changes: readonly DraftChange[],
  { most, room, hide }: { readonly most: number; readonly room: Room; readonly hide: Hide },
): Head[] {
  const ranked = changes.map((draft, at) => ({ at, draft })).toSorted(byRank);
  const heads: Head[] = [];
  for (const { at, draft } of ranked.slice(0, most)) {
    const shown = headOf(draft, hide);
    if (fits(shown, room)) heads.push({ at, draft, shown });
  }
  return heads.toSorted((a, b) => a.at - b.at);
}

const byRank = (a: { readonly draft: DraftChange }, b: { readonly draft: DraftChange }): number =>
  ranks[a.draft.action] - ranks[b.draft.action];

function headOf(
  { address, type, name, action, provider, reason }: DraftChange,
  hide: Hide,
): ViewChange {
  const short = (text: string): string => cutText(hide(text), viewBounds.nameBytes).text;
  return {
    address: short(address),
    type: short(type),
    name: short(name),
    action,
    ...(provider !== undefined && provider !== "" && { provider: short(provider) }),
    ...(reason !== undefined && reason !== "" && { reason: short(reason) }),
    fields: [],
    is_cut: true,
  };
}

function fill(head: Head, room: Room): void {
  if (room.bytes < leastRoom) return;
  const { fields, isCut } = head.draft.fieldsOf();
  const { is_cut: _, ...shown } = head.shown;
  const kept = fields.filter((field) => fits(field, room));
  const isWhole = !isCut && kept.length === fields.length;
  head.shown = { ...shown, fields: kept, ...(!isWhole && { is_cut: true }) };
}

function textWithin(text: string, roomBytes: number): ReturnType<typeof cutText> {
  // In JSON one letter may take six bytes.
  return cutText(text, Math.max(0, Math.min(viewBounds.textBytes, Math.floor(roomBytes / 6))));
}

/** Takes the room that a value needs, where there is as much. */
function fits(value: object, room: Room): boolean {
  const bytes = Buffer.byteLength(JSON.stringify(value)) + 1;
  if (bytes > room.bytes) return false;
  room.bytes -= bytes;
  return true;
}
