import type { PlanView, ViewAction, ViewField } from "./plan-view.ts";

/** What stands before a thing, by what is done to it. */
export const viewSigns: Readonly<Record<ViewAction, string>> = {
  add: "+",
  change: "~",
  replace: "-/+",
  remove: "-",
  import: "+",
  forget: "-",
  read: "<=",
  keep: "=",
  conflict: "!",
};

/** The same in words, where the sign alone does not say it. */
export const viewNotes: Readonly<Partial<Record<ViewAction, string>>> = {
  import: "imported",
  forget: "no longer managed, but not removed",
  read: "read during the apply",
  keep: "kept",
  conflict: "cannot be applied",
};

type Shown = Pick<ViewField, "before" | "after" | "is_unknown" | "is_sensitive" | "is_cut">;

/** The two sides of a field or an output in words; an absent one is undefined. */
export function sidesInWords(
  shown: Shown,
): Readonly<Record<"before" | "after", string | undefined>> {
  const { before, after, is_unknown, is_sensitive, is_cut } = shown;
  const words = (value: unknown): string | undefined => {
    if (value === undefined) return undefined;
    const text = JSON.stringify(value);
    return is_cut === true ? `${text} (cut)` : text;
  };
  const next = is_unknown === true ? "(known after apply)" : words(after);
  if (is_sensitive !== true) return { before: words(before), after: next };
  return { before: undefined, after: is_unknown === true ? `(sensitive) ${next}` : "(sensitive)" };
}

/** "Plan: 2 to add, 1 to change, 1 to replace, 3 to remove." */
export function summaryWords({ summary, is_noop }: PlanView): string {
  const { added, changed, replaced, removed } = summary;
  if (is_noop) return "No changes.";
  const counts = [`${added} to add`, `${changed} to change`];
  if (replaced > 0) counts.push(`${replaced} to replace`);
  return `Plan: ${[...counts, `${removed} to remove`].join(", ")}.`;
}

/** "Changed by others meanwhile: 1 added, 2 changed, 0 removed."; empty where nothing was. */
export function driftWords({ drift }: PlanView): string {
  if (drift === undefined) return "";
  const { added, changed, removed } = drift;
  if (added + changed + removed === 0) return "";
  return `Changed by others meanwhile: ${added} added, ${changed} changed, ${removed} removed.`;
}

/** "4000 more are counted, and not shown."; empty where all is shown. */
export const leftOutWords = ({ left_out: left }: Pick<PlanView, "left_out">): string =>
  left === 0 ? "" : `${left} more ${left === 1 ? "is" : "are"} counted, and not shown.`;
