import { createHash } from "node:crypto";
import type { Change, Diff } from "./change.ts";
import { refKey } from "./kube-object.ts";

/** The same for the same change, whoever computes it; of one that was taken over from a plan, what that plan recorded. */
export function digestOfChange({ digest, action, ref, changes, conflicts }: Change): string {
  return digest ?? sha256([refKey(ref), ref, action, changes, conflicts]);
}

/** The same for the same changes, in whichever order. */
export function digestOfDiff({ op, changes }: Diff): string {
  return digestOfAll(op, changes.map(digestOfChange));
}

/** The digest of a diff whose changes have these. */
export function digestOfAll(op: Diff["op"], digests: readonly string[]): string {
  return sha256([op, [...digests].sort()]);
}

/** A digest of what JSON can say. */
export function sha256(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
