import path from "node:path";
import { isMainThread } from "node:worker_threads";
import { afterAll, expect, inject, vi } from "vitest";
import { endFile } from "./after-file.ts";
import { countUnder, kindOf } from "./cpu-account.ts";

// Files in threads share the runner's process, and are counted with it.
const file = path.relative(process.cwd(), expect.getState().testPath ?? "");
if (isMainThread) countUnder({ folder: inject("cpuAccount") }, kindOf(file), process.pid);

// Here and not in after-file.ts: files that share a process load that module once, and this one each.
afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetConfig();
  await endFile();
});
