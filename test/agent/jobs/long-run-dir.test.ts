import { existsSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { askJob } from "../../../agent/commands/ask-job.ts";
import { openJobSocket } from "../../../agent/jobs/job-socket.ts";
import { testFolder } from "../../support/run/folder.ts";

const openFiles = (): number => readdirSync("/proc/self/fd").length;

test.each([1, 60, 90, 200])(
  "a job is heard in a run directory whose path is %i characters longer than the shortest",
  async (length) => {
    const folder = path.join(await testFolder(0o700), "a".repeat(length));
    await mkdir(folder);
    const socketPath = path.join(folder, "socket");
    const heard: unknown[] = [];
    const requests = {
      setOutput: async (output: unknown) => await Promise.resolve(void heard.push(output)),
      addSecret: (secret: string) => void heard.push(secret),
    };
    const before = openFiles();
    const close = await openJobSocket({ path: socketPath, bearer: "b" }, requests);
    await askJob({ socketPath, bearer: "b" }, "/secrets", { secret: "one" });
    await askJob({ socketPath, bearer: "b" }, "/outputs", { name: "two", value: 2 });
    await close();
    expect(heard).toEqual(["one", { name: "two", value: 2, secret: false }]);
    expect(existsSync(socketPath)).toBe(false);
    await expect.poll(openFiles).toBeLessThanOrEqual(before);
  },
);
