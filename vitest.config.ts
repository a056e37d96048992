import { availableParallelism } from "node:os";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { testLimitMs, waitLimitMs } from "./test/support/run/hang-limits.ts";
import { LongestFirst } from "./test/support/run/longest-first.ts";

/** Most files wait for a program, a clock or a connection for most of their time: more of them than cores keep these busy. */
const maxWorkers = Number(process.env["VITEST_MAX_WORKERS"] ?? availableParallelism() * 5);

const common: TestProjectInlineConfiguration["test"] = {
  testTimeout: testLimitMs,
  hookTimeout: testLimitMs,
  expect: { poll: { timeout: waitLimitMs, interval: 50 } },
  setupFiles: ["test/support/run/set-up-file.ts"],
  pool: "forks",
  isolate: true,
  maxWorkers,
};

/** What each kind of test needs: docs/decisions/0019-tests.md. */
const slow = [
  "test/{build,faults,tools,upgrades}/**/*.test.ts",
  "test/agent/{cluster-jobs,executor-kubernetes,handlers}/**/*.test.ts",
  "test/cli/dev*.test.ts",
  "test/broker/jobs/{model,storm,capacity-races,clocks-never-stuck}.test.ts",
];

const projects: TestProjectInlineConfiguration[] = [
  {
    test: {
      ...common,
      name: "unit",
      include: ["{shared,broker,agent,cli,client,bench}/**/*.test.ts", "test/*.test.ts"],
      pool: "threads",
      isolate: false,
    },
  },
  { test: { ...common, name: "sql", include: ["test/database/**/*.test.ts"] } },
  {
    test: {
      ...common,
      name: "api",
      include: ["test/{broker,cli,client,wire}/**/*.test.ts"],
      exclude: slow,
      isolate: false,
    },
  },
  {
    test: {
      ...common,
      name: "agent",
      include: ["test/{agent,deploy}/**/*.test.ts"],
      exclude: slow,
      isolate: false,
    },
  },
  { test: { ...common, name: "slow", include: slow } },
];

export default defineConfig({
  test: {
    projects,
    maxWorkers,
    reporters: ["default", "./test/support/run/closing-line.ts"],
    globalSetup: ["test/support/run/global-setup.ts"],
    sequence: { sequencer: LongestFirst },
    teardownTimeout: 20_000,
    allowOnly: false,
    passWithNoTests: false,
  },
});
