import type { Child, ChildSpec } from "./child.ts";
import { readyChild } from "./ready-child.ts";

/**
 * Starts a child that outlives this process, in a session of its own, and resolves when it runs. What cannot be
 * started is refused with a `ChildError`, or a `ChildLost`. One execution has one child a step.
 */
export async function startChild(spec: ChildSpec): Promise<Child> {
  return await (await readyChild(spec)).go();
}
