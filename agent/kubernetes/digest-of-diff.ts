import type { Change, Diff } from "./change.ts";
import { keyedDigest } from "./keyed-digest.ts";
import { refKey } from "./kube-object.ts";

/** The digest of a change with a key; for a change from a plan, the digest that the plan recorded. */
export function digestOfChange(change: Change, key: string): string {
  const { digest, action, ref, changes, conflicts } = change;
  return digest ?? keyedDigest(JSON.stringify([refKey(ref), ref, action, changes, conflicts]), key);
}

/** The digest of a diff with its key, independent of the order of changes. It identifies what was approved. */
export function digestOfDiff({ op, key, changes }: Diff): string {
  const digests = changes.map((change) => digestOfChange(change, key)).sort();
  return keyedDigest(JSON.stringify([op, digests]), key);
}
