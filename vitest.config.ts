import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "{shared,broker,agent,cli}/**/*.test.ts"],
    reporters: ["default", "./test/support/run/closing-line.ts"],
    globalSetup: ["test/support/run/global-setup.ts"],
    pool: "forks",
    maxWorkers: 3,
    // Nobody waits so long where all is well: a machine that does much else besides must not fail a test.
    testTimeout: 60_000,
    hookTimeout: 90_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    teardownTimeout: 20_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
