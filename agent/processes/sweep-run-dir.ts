import { mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { readManifest } from "./find-child.ts";
import { bootId } from "./process-identity.ts";
import { removeChildFolder } from "./remove-child-folder.ts";
import { findMarked } from "./sweep-marked.ts";

/** What a sweep found: folders that it took away, and executions that nobody keeps although they still run. */
export type SweptRunDir = { readonly removed: number; readonly running: readonly string[] };

/**
 * Takes away what executions left in the run directory, but for those that are to be kept and those whose
 * processes still run: these are named, for the caller to end or to adopt. For the start, when nobody else is here.
 */
export async function sweepRunDir(runDir: string, keep: ReadonlySet<string>): Promise<SweptRunDir> {
  mkdirSync(runDir, { recursive: true, mode: 0o700 });
  const running = new Set<string>();
  let removed = 0;
  for (const name of readdirSync(runDir)) {
    const executionId = name.split(".")[0] ?? name;
    if (keep.has(executionId)) continue;
    if (await hasProcesses(path.join(runDir, name), executionId)) {
      running.add(executionId);
      continue;
    }
    await removeChildFolder(path.join(runDir, name));
    removed += 1;
  }
  return { removed, running: [...running] };
}

async function hasProcesses(dir: string, executionId: string): Promise<boolean> {
  const manifest = readManifest(dir);
  const leaders = manifest?.bootId === bootId() ? [manifest.leader] : [];
  return (await findMarked(executionId, undefined, leaders)).length > 0;
}
