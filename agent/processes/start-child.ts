import type { Child, ChildSpec } from "./child.ts";
import { readyChild } from "./ready-child.ts";

/**
 * Starts a child that outlives this process, in a session of its own, and resolves when it runs. Throws a `ChildError`
 * when it cannot be started, or a `ChildLost`. An execution has one child for each step number.
 */
export async function startChild(spec: ChildSpec): Promise<Child> {
  return await (await readyChild(spec)).go();
}
