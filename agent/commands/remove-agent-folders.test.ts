import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { testFolder } from "../../test/support/run/folder.ts";
import { readConfig } from "../config/read-config.ts";
import { removeAgentFolders } from "./remove-agent-folders.ts";

async function setup(dataDir: string) {
  const runDir = await testFolder(0o700);
  const lines: string[] = [];
  await removeAgentFolders(readConfig({ "data-dir": dataDir, "run-dir": runDir }, {}), (line) => {
    lines.push(line);
  });
  return lines;
}

test("what an agent of one job has on disk is removed", async () => {
  const dataDir = path.join(await testFolder(), "data");
  await mkdir(path.join(dataDir, "work"), { recursive: true });
  expect(await setup(dataDir)).toEqual([]);
  expect(existsSync(dataDir)).toBe(false);
});

test("what cannot be removed is told, and is no failure of the job", async () => {
  const file = path.join(await testFolder(), "file");
  await writeFile(file, "");
  expect(await setup(path.join(file, "data"))).toEqual([expect.stringContaining("ENOTDIR")]);
});
