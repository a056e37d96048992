import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "{shared,broker,agent,cli}/**/*.test.ts"],
    reporters: ["default", "./test/support/closing-line.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 20_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
