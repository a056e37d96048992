import path from "node:path";
import { isMainThread } from "node:worker_threads";
import { afterAll, expect, inject, vi } from "vitest";
import { endFile } from "./after-file.ts";
import { countFile } from "./cpu-account.ts";

// Files in threads share the runner's process, and are counted with it.
const file = path.relative(process.cwd(), expect.getState().testPath ?? "");
const cost = isMainThread
  ? countFile({ folder: inject("cpuAccount") }, file, process.pid)
  : () => 0;

// Here and not in after-file.ts: files that share a process load that module once, and this one each.
// oxlint-disable-next-line eslint/no-empty-pattern -- vitest reads from it which fixtures are wanted
afterAll(async ({}, suite) => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetConfig();
  await endFile();
  suite.meta.cpuSeconds = cost();
});
