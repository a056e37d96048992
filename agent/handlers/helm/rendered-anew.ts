import type { Change } from "../../kubernetes/change.ts";

/** Whether a rendering differs from what was shown only in values that are different in each rendering. */
export function isRenderedAnew(shown: Change, now: Change, next: Change): boolean {
  if (shown.action !== now.action) return false;
  const [was, is, other] = [leavesOf(shown), leavesOf(now), leavesOf(next)];
  return [...was.keys(), ...is.keys()].every(
    (key) => was.get(key) === is.get(key) || is.get(key) !== other.get(key),
  );
}

/** All single values of a change, by their paths. */
function leavesOf({ changes, conflicts }: Change): Map<string, string> {
  const leaves = new Map([["conflicts", JSON.stringify(conflicts)]]);
  for (const { path, before, after } of changes) {
    addLeaves([path, "before"], before, leaves);
    addLeaves([path, "after"], after, leaves);
  }
  return leaves;
}

function addLeaves(at: readonly string[], value: unknown, leaves: Map<string, string>): void {
  if (value === undefined) return;
  const members = typeof value === "object" && value !== null ? Object.entries(value) : [];
  if (members.length === 0) leaves.set(JSON.stringify(at), JSON.stringify(value));
  for (const [name, inner] of members) addLeaves([...at, name], inner, leaves);
}
