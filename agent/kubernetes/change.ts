import type { MemberChange } from "./diff-objects.ts";
import type { FieldConflict } from "./explain-refusal.ts";
import type { ObjectRef } from "./kube-object.ts";

/** What a deploy does to one object. */
export type Change = {
  readonly action: "create" | "update" | "unchanged" | "conflict" | "delete" | "keep";
  readonly ref: ObjectRef;
  readonly changes: readonly MemberChange[];
  /** Whose fields it sets: taken over where the plan says so, else it cannot be applied. */
  readonly conflicts: readonly FieldConflict[];
  /** Why it is kept. */
  readonly words: string;
  /** Of what it was computed: while that is the same, so is the change. */
  readonly basis?: string;
  /** Taken over from a plan, in which values may be hidden: of what it was before. */
  readonly digest?: string;
};

/** All that a deploy does. */
export type Diff = {
  readonly op: "apply" | "teardown";
  readonly changes: readonly Change[];
  /** By which its digests are made. */
  readonly key: string;
};

const counted = ["create", "update", "unchanged", "conflict", "delete", "keep"] as const;

/** How many objects come to what. */
export function countsOf({ changes }: Diff): Record<string, number> {
  const counts = Object.fromEntries(counted.map((action) => [action, 0]));
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

/** In words: "1 create, 2 unchanged"; "nothing" where there is nothing at all. */
export function countWords(diff: Diff): string {
  const told = Object.entries(countsOf(diff)).filter(([, count]) => count > 0);
  return told.map(([action, count]) => `${count} ${action}`).join(", ") || "nothing";
}
