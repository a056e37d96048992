import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { readConfig } from "../../../agent/config/read-config.ts";
import { dockerDriver } from "../../../agent/mng/drivers/docker.ts";
import { testFolder } from "../../support/run/folder.ts";

test("a container stays as it is, when the arguments for its successor cannot be read", async () => {
  const folder = await testFolder(0o755);
  const calls = path.join(folder, "calls");
  const container = {
    Id: "c1",
    State: { Running: false, ExitCode: 0, StartedAt: "2026-01-01T00:00:00Z" },
    Config: { Image: "registry.test/agent:1.0.0" },
  };
  // What stands for docker here only writes down how it was called: that it is called at all would be the fault.
  const text = `#!/bin/sh\necho "$1" >> ${calls}\necho '[${JSON.stringify(container)}]'\n`;
  await writeFile(path.join(folder, "docker"), text, { mode: 0o755 });
  const flags = {
    mode: "mng",
    "mng-driver": "docker",
    "mng-container-args": path.join(folder, "none"),
  };
  const driver = dockerDriver(readConfig(flags, { PATH: `${folder}:/usr/bin:/bin` }));
  await expect(driver.start("registry.test/agent:2.0.0")).rejects.toThrow("ENOENT");
  const called = (await readFile(calls, "utf8")).trim().split("\n");
  expect(new Set(called)).toEqual(new Set(["container"]));
});
