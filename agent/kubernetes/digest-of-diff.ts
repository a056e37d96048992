import type { Change, Diff } from "./change.ts";
import { keyedDigest } from "./keyed-digest.ts";
import { refKey } from "./kube-object.ts";

/** The same for the same change by the same key; of one that was taken over from a plan, what that plan recorded. */
export function digestOfChange(change: Change, key: string): string {
  const { digest, action, ref, changes, conflicts } = change;
  return digest ?? keyedDigest(JSON.stringify([refKey(ref), ref, action, changes, conflicts]), key);
}

/** The same for the same changes by the same key, in whichever order: what was approved is compared by it. */
export function digestOfDiff({ op, key, changes }: Diff): string {
  const digests = changes.map((change) => digestOfChange(change, key)).sort();
  return keyedDigest(JSON.stringify([op, digests]), key);
}
