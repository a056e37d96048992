import { afterAll, vi } from "vitest";
import { endFile } from "./after-file.ts";

// Here and not in after-file.ts: files that share a process load that module once, and this one each.
afterAll(async () => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetConfig();
  await endFile();
});
