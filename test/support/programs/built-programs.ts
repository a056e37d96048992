import { execFile } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterFile } from "../run/after-file.ts";
import { patiently } from "../run/folder.ts";

const run = promisify(execFile);
const build = path.join(import.meta.dirname, "..", "..", "..", "build", "main.ts");

/** Builds programs into a folder of their own, where nothing else is; it is removed after the file. */
export async function builtPrograms(...args: readonly string[]): Promise<string> {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-built-"));
  afterFile(async () => await rm(folder, { ...patiently, force: true }));
  await run(process.execPath, [build, "--out", folder, ...args]);
  return folder;
}
