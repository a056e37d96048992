import { writeFileSync } from "node:fs";
import path from "node:path";
import type { Reporter, SerializedError, TestCase, TestModule, Vitest } from "vitest/node";
import { adviceFor } from "../../tools/find-tool.ts";
import { readCpuAccount } from "./cpu-account.ts";

declare module "vitest" {
  // Only an interface can be merged into vitest's own.
  // oxlint-disable-next-line typescript/consistent-type-definitions
  interface TaskMeta {
    /** What a file's process and all that it started took, from the file's start to its end. */
    cpuSeconds?: number;
  }
}

/**
 * Ends a run with the line "N passed, N failed", which machines read whatever the other reporters print. Tests that want
 * a tool that is not there come after those as skipped, and a line for each tool says how to get it. Before it stands what
 * the run cost: the CPU seconds of all its processes, by kind of test. The files that failed are listed in the file that
 * SVC_FAILED_FILES names.
 */
export default class ClosingLine implements Reporter {
  #vitest: Vitest | undefined;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const leftOut: (readonly string[])[] = [];
    for (const module of modules) {
      failed += module.errors().length;
      for (const test of module.children.allTests()) {
        const missing = missingToolsOf(test);
        if (missing !== undefined) leftOut.push(missing);
        else if (test.result().state === "passed") passed += 1;
        else failed += 1;
      }
    }
    const list = process.env["SVC_FAILED_FILES"];
    const text = failedFilesText(modules, unhandledErrors);
    if (list !== undefined && text !== undefined) writeFileSync(list, text);
    const counts = `${passed} passed, ${failed} failed`;
    const skipped = leftOut.length === 0 ? "" : `, ${leftOut.length} skipped`;
    const { cpuAccount } = this.#vitest?.getRootProject().getProvidedContext() ?? {};
    const cost = costText(readCpuAccount({ folder: cpuAccount ?? "" })) + dearestText(modules);
    // After the summary, which the default reporter prints in the same step.
    setImmediate(() => process.stdout.write(`\n${cost}${linesOf(leftOut)}${counts}${skipped}\n`));
  }
}

/**
 * A line for each file with a failed test or an error of its own. Undefined where that is not all that went wrong: an error names no file, as
 * a worker's that crashed, or a file did not run.
 */
export function failedFilesText(
  modules: readonly TestModule[],
  unhandledErrors: readonly SerializedError[],
): string | undefined {
  const isUnknown = unhandledErrors.some(({ VITEST_TEST_PATH: file }) => typeof file !== "string");
  const isUnrun = modules.some((module) => ["pending", "queued"].includes(module.state()));
  if (isUnknown || isUnrun) return undefined;
  const failed = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
  const raised = unhandledErrors.flatMap(({ VITEST_TEST_PATH: file }) =>
    typeof file === "string" ? [file] : [],
  );
  const files = [...failed, ...raised].map((file) => path.relative(process.cwd(), file));
  return [...new Set(files)].map((file) => `${file}\n`).join("");
}

/** A row for each kind that cost something, the dearest first, and the sum. */
function costText(account: ReadonlyMap<string, number>): string {
  const rows = [...account].filter(([, seconds]) => seconds >= 0.05);
  if (rows.length === 0) return "CPU seconds are not counted here: no cgroup can be made.\n\n";
  const sum = rows.reduce((all, [, seconds]) => all + seconds, 0);
  const lines = rows
    .toSorted(([, a], [, b]) => b - a)
    .concat([["in all", sum]])
    .map(([row, seconds]) => `${seconds.toFixed(1).padStart(8)}  ${row}\n`);
  return `CPU seconds of all processes\n${lines.join("")}\n`;
}

/** The files that cost most, without what they have Postgres and the cluster do; all of them where SVC_TEST_COSTS names a file for them. */
function dearestText(modules: readonly TestModule[]): string {
  const costs = modules
    .map((module) => ({ file: module.relativeModuleId, seconds: module.meta().cpuSeconds ?? 0 }))
    .filter(({ seconds }) => seconds >= 0.05)
    .toSorted((a, b) => b.seconds - a.seconds);
  const lines = costs.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)}  ${file}\n`);
  const all = process.env["SVC_TEST_COSTS"];
  if (all !== undefined) writeFileSync(all, lines.join(""));
  if (lines.length < 2) return "";
  return `The dearest files, their programs included\n${lines.slice(0, 10).join("")}\n`;
}

/** Of a test that is left out for want of them. */
function missingToolsOf(test: TestCase): readonly string[] | undefined {
  if (test.result().state !== "skipped") return undefined;
  for (let at: TestCase["parent"] | TestCase = test; at.type !== "module"; at = at.parent) {
    const { missingTools } = at.meta();
    if (missingTools !== undefined) return missingTools;
  }
  return undefined;
}

function linesOf(leftOut: readonly (readonly string[])[]): string {
  const programs = [...new Set(leftOut.flat())].toSorted();
  const lines = programs.map((program) => {
    const count = leftOut.filter((missing) => missing.includes(program)).length;
    const tests = count === 1 ? "1 test that needs" : `${count} tests that need`;
    return `left out: ${tests} ${program}; to get it: ${adviceFor(program)}\n`;
  });
  return lines.join("");
}
