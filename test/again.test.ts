import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { TestModule } from "vitest/node";
import { failedFilesText } from "./support/run/closing-line.ts";

const folder = mkdtempSync(path.join(tmpdir(), "svc-again-"));
afterAll(() => rmSync(folder, { recursive: true }));

const moduleOf = (moduleId: string, state: string) =>
  ({
    moduleId: path.resolve(moduleId),
    state: () => state,
    ok: () => state !== "failed",
  }) as TestModule; // what is asked of it
const failed = moduleOf("test/a.test.ts", "failed");
const passed = moduleOf("test/b.test.ts", "passed");
const error = (file?: string) => ({ message: "broken", VITEST_TEST_PATH: file });

test("files that failed, and those of errors, are listed where these are all that went wrong", () => {
  const raised = [error(path.resolve("test/c.test.ts"))];
  expect(failedFilesText([failed, passed], raised)).toBe("test/a.test.ts\ntest/c.test.ts\n");
  expect(failedFilesText([failed, passed], [error()])).toBeUndefined(); // a worker crashed
  const queued = moduleOf("test/d.test.ts", "queued");
  expect(failedFilesText([failed, queued], [])).toBeUndefined();
});

test.each([
  ["no list", undefined, "No test run ended, so there is nothing to run again."],
  ["a list of none", [], "No test file failed: what failed is printed above."],
  [
    "a list of too many",
    Array.from({ length: 21 }, (_, index) => `test/x${index}.test.ts`),
    "21 test files failed; up to 20 are run again.",
  ],
])("%s does not pass", (name, files, why) => {
  const list = path.join(folder, name);
  if (files !== undefined) writeFileSync(list, files.map((file) => `${file}\n`).join(""));
  const { status, stderr } = spawnSync(process.execPath, ["test/again.ts"], {
    encoding: "utf8",
    env: { ...process.env, SVC_FAILED_FILES: list },
  });
  expect({ status, stderr }).toEqual({ status: 1, stderr: `${why}\n` });
});
