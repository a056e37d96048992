import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { z } from "zod";
import { pools } from "../../../broker/work-pool/open-work-pools.ts";
import { configLimits } from "../../../shared/app-config/config-fault.ts";

const { heapMb, cpuMs, rssMb } = pools.work;

test("a config at every bound at once is checked within what a child process may use", async () => {
  // As the child processes of a broker are started; alone it tells its CPU time and memory, too.
  const heap = [`--max-old-space-size=${heapMb}`, "--max-semi-space-size=8"];
  const args = [...heap, "test/support/apps/check-at-bounds.ts"];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { files, values, templates, tomlBytesOfAll, unpackedBytes } = configLimits;
  const told = z
    .object({ errors: z.array(z.unknown()), files: z.int(), bytes: z.int(), tomlBytes: z.int() })
    .extend({ templates: z.int(), values: z.int(), cpuMs: z.int(), peakMiB: z.int() })
    .parse(JSON.parse(stdout));
  expect(told.errors).toEqual([]);
  expect(told.files).toBe(files);
  expect(told.bytes).toBeGreaterThan(0.98 * unpackedBytes);
  expect(told.tomlBytes).toBeGreaterThan(0.98 * tomlBytesOfAll);
  expect(told.templates).toBeGreaterThan(0.999 * templates);
  expect(told.values).toBeGreaterThan(0.98 * values);
  expect(told.cpuMs).toBeLessThan(cpuMs);
  expect(told.peakMiB).toBeLessThan(rssMb);
});
