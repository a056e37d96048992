import type { ChangeCounts } from "../machine/deploy-rows.ts";

const verbs = { added: "add", changed: "change", replaced: "replace", removed: "remove" } as const;

/** What a plan that is only shown would do, and why it was made: to see that, or to look for drift. */
export function wouldText(counts: ChangeCounts, isDriftRun: boolean): string {
  const does = (["added", "changed", "replaced", "removed"] as const).flatMap((what) =>
    counts[what] === 0 ? [] : [`${verbs[what]} ${counts[what]}`],
  );
  const all = does.length === 0 ? "change outputs, but no object" : does.join(", ");
  return isDriftRun
    ? `it has drifted: to set it back would ${all}`
    : `only planned: it would ${all}`;
}
