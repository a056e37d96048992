import { execFile } from "node:child_process";
import { chmod, copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { bundle } from "./bundle.ts";
import type { Program } from "./programs.ts";

const postject = createRequire(import.meta.url).resolve("postject/dist/cli.js");
const run = promisify(execFile);
/** The mark in Node's own binary that postject turns; the same in every version. */
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Makes one executable of Node and a program, for this very platform; answers the file's name. */
export async function makeSingle(program: Program, directory: string): Promise<string> {
  const work = await mkdtemp(path.join(tmpdir(), "svc-single-"));
  try {
    const main = await bundle(program, work, "cjs");
    const blob = path.join(work, "program.blob");
    const config = path.join(work, "sea.json");
    const settings = {
      main,
      output: blob,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
    };
    await writeFile(config, JSON.stringify(settings));
    await run(process.execPath, ["--experimental-sea-config", config]);
    const file = path.join(directory, program.name);
    await rm(file, { force: true });
    await copyFile(process.execPath, file);
    await run(process.execPath, [postject, file, "NODE_SEA_BLOB", blob, "--sentinel-fuse", fuse]);
    await chmod(file, 0o755);
    return file;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
