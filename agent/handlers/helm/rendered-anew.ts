import type { Change } from "../../kubernetes/change.ts";

/**
 * Whether a rendering differs from what was shown only in what it is given anew each time: in what the next rendering
 * has otherwise again.
 */
export function isRenderedAnew(shown: Change, now: Change, next: Change): boolean {
  if (shown.action !== now.action) return false;
  const [was, is, other] = [leavesOf(shown), leavesOf(now), leavesOf(next)];
  return [...was.keys(), ...is.keys()].every(
    (key) => was.get(key) === is.get(key) || is.get(key) !== other.get(key),
  );
}

/** Every single value of a change, by where it is. */
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
