import type { Child, ChildManifest } from "./child.ts";

/** Takes over what another process of the agent started; nothing if nothing of it is left. */
export async function adoptChild(
  manifest: ChildManifest,
  { from }: { readonly from: number },
): Promise<Child | undefined> {
  throw new Error(`not yet: ${manifest.executionId} ${from}`);
}
