import { rm } from "node:fs/promises";
import { dropOldest } from "./kept-layers.ts";

/** Removes what killed builds have left where layers are kept, and what is more than may be kept now; all for 0. */
export async function sweepLayers(folder: string, mostBytes: number): Promise<void> {
  if (mostBytes > 0) await dropOldest(folder, mostBytes);
  else await rm(folder, { recursive: true, force: true });
}
