import type { Token } from "./template-actions.ts";

/** Whether the token at a place is `.svc` as such or `$.svc`, not a member of something else. */
export function isRoot(roots: ReadonlySet<string>, tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== "field" || !roots.has(token.value)) return false;
  return isDot(tokens, at) || tokens[at - 1]?.value === "$";
}

/** Whether it is `.` or `.field`, not a member of something else. */
export function isDot(tokens: readonly Token[], at: number): boolean {
  const token = tokens[at];
  if (token?.kind !== "field" && !(token?.kind === "sign" && token.value === ".")) return false;
  const before = tokens[at - 1];
  return !token.isJoined || (before?.kind === "sign" && before.value !== ")");
}
