import type { Child, ChildSpec } from "./child.ts";

/** Starts a child that outlives this process; refuses with a `ChildError` what cannot be started. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  throw new Error(`not yet: ${spec.executionId}`);
}
