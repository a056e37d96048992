import { existsSync } from "node:fs";
import type { Child, ChildManifest } from "./child.ts";
import { holdChild } from "./hold-child.ts";
import { bootId } from "./process-identity.ts";

/**
 * Takes over a child that another process of the agent started, running or ended, and reads its output from the
 * given byte on. Nothing when nothing of it is left: its folder has gone, or the machine was started anew.
 */
export function adoptChild(
  manifest: ChildManifest,
  { from }: { readonly from: number },
): Child | undefined {
  if (manifest.bootId !== bootId() || !existsSync(manifest.dir)) return undefined;
  return holdChild(manifest, { from });
}
