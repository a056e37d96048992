import { rm } from "node:fs/promises";
import type { AgentConfig } from "../config/read-config.ts";
import { openRunDir, runDirWish } from "../processes/open-run-dir.ts";

/**
 * Removes the data of an agent that ran one job. Errors are reported but do not change the exit code. A supervisor
 * that still writes its end has a moment for it.
 */
export async function removeAgentFolders(
  config: AgentConfig,
  tell: (line: string) => void,
): Promise<void> {
  const run = openRunDir(runDirWish(config)).then(async ({ path }) => await removed(path));
  for (const removal of await Promise.allSettled([run, removed(config.dataDir)])) {
    if (removal.status === "rejected")
      tell(`some data could not be removed: ${String(removal.reason)}`);
  }
}

const removed = async (place: string): Promise<void> =>
  await rm(place, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
