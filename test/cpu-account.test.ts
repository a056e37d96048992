import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, inject, test } from "vitest";
import { countUnder, kindOf, readCpuAccount } from "./support/run/cpu-account.ts";

const folder = inject("cpuAccount");
const burn = "while (process.cpuUsage().user < 1e6) for (let n = 0; n < 1e7; n++);";
/** Leaves a process of another session behind that takes a second of CPU, and then closes what it has inherited. */
const leaving = `read go; setsid "$NODE" -e '${burn}' & exit 0`;

test("a process that outlives who started it is counted with its kind", async () => {
  const read = () => readCpuAccount({ folder }).get("builds") ?? 0;
  const before = read();
  const child = spawn("sh", ["-c", leaving], {
    env: { ...process.env, NODE: process.execPath },
    stdio: ["pipe", "pipe", "ignore"],
  });
  countUnder({ folder }, "builds", child.pid ?? 0);
  child.stdin.end("go\n");
  child.stdout.resume();
  await once(child.stdout, "end"); // both have ended
  const counted = read() - before;
  // Where no cgroup can be made nothing is counted, and the run says so.
  expect(counted).toBeGreaterThanOrEqual(folder === "" ? 0 : 1);
});

test.each([
  ["shared/duration.test.ts", "unit tests and the runner"],
  ["test/docs.test.ts", "unit tests and the runner"],
  ["test/agent/handlers/helm/apply.test.ts", "real tools"],
  ["test/agent/fault-matrix.test.ts", "agent"],
  ["test/broker/jobs/model.test.ts", "models and storms"],
  ["test/broker/dashboard/app-pages.test.ts", "pages"],
  ["test/broker/apps/apps.test.ts", "API"],
])("%s is counted under %s", (file, kind) => {
  expect(kindOf(file)).toBe(kind);
});
