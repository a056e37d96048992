import type { Reporter, SerializedError, TestCase, TestModule } from "vitest/node";
import { adviceFor } from "../../tools/find-tool.ts";

/**
 * Ends a run with the line "N passed, N failed", which machines read whatever the other reporters print. Tests that want
 * a tool that is not there come after those as skipped, and a line for each tool says how to get it.
 */
export default class ClosingLine implements Reporter {
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
    const counts = `${passed} passed, ${failed} failed`;
    const skipped = leftOut.length === 0 ? "" : `, ${leftOut.length} skipped`;
    // After the summary, which the default reporter prints in the same step.
    setImmediate(() => process.stdout.write(`\n${linesOf(leftOut)}${counts}${skipped}\n`));
  }
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
