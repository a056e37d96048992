import type { MemberChange, Versions } from "./diff-objects.ts";
import type { FieldConflict } from "./explain-refusal.ts";
import type { ObjectRef } from "./kube-object.ts";

/** What a deploy does to one object. */
export type Change = {
  readonly action: "create" | "update" | "unchanged" | "conflict" | "delete" | "keep";
  readonly ref: ObjectRef;
  readonly changes: readonly MemberChange[];
  /** The object as it is and as it will be, where it is updated or deleted: plans tell it, and nobody approves it. */
  readonly whole?: Versions;
  /** Fields that it sets and that others manage: taken over if the plan says so, else they prevent the apply. */
  readonly conflicts: readonly FieldConflict[];
  /** Why it is kept. */
  readonly words: string;
  /** A digest of its inputs: while that is the same, so is the change. */
  readonly basis?: string;
  /** For a change from a plan, whose values may be masked: the digest of the unmasked change. */
  readonly digest?: string;
};

/** All changes of a deploy. */
export type Diff = {
  readonly op: "apply" | "teardown";
  readonly changes: readonly Change[];
  /** The key of its digests. */
  readonly key: string;
};

const counted = ["create", "update", "unchanged", "conflict", "delete", "keep"] as const;

/** The number of objects for each action. */
export function countsOf({ changes }: Diff): Record<string, number> {
  const counts = Object.fromEntries(counted.map((action) => [action, 0]));
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
}

/** The counts as text: "1 create, 2 unchanged"; "nothing" when there is no object. */
export function countWords(diff: Diff): string {
  const told = Object.entries(countsOf(diff)).filter(([, count]) => count > 0);
  return told.map(([action, count]) => `${count} ${action}`).join(", ") || "nothing";
}
