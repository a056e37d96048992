import type { Reporter, SerializedError, TestModule } from "vitest/node";

/** Ends a run with the line "N passed, N failed", which machines read whatever the other reporters print. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly SerializedError[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    for (const module of modules) {
      failed += module.errors().length;
      for (const { result } of resultsOf(module)) {
        if (result === "passed") passed += 1;
        else failed += 1;
      }
    }
    // After the summary, which the default reporter prints in the same step.
    setImmediate(() => process.stdout.write(`\n${passed} passed, ${failed} failed\n`));
  }
}

function resultsOf(module: TestModule): { result: string }[] {
  return [...module.children.allTests()].map((test) => ({ result: test.result().state }));
}
