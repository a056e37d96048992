import { chmod, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder for one test, removed after it; any user may pass through it unless told otherwise. */
export async function testFolder(mode = 0o711): Promise<string> {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-test-"));
  await chmod(folder, mode);
  // Whatever still writes there has a moment to end.
  const how = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 } as const;
  onTestFinished(async () => await rm(folder, how));
  return folder;
}
