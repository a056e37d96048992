import { readdirSync } from "node:fs";
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { agentProgram, svcProgram } from "../programs/present-programs.ts";
import { afterFile } from "../run/after-file.ts";
import { patiently } from "../run/folder.ts";

/** Agent and command line (with its broker) of one build. */
export type Build = { readonly name: string; readonly agent: string; readonly svc: string };

const folder = path.join(import.meta.dirname, "..", "..", "builds");

/** The kept builds by their names, the oldest first. */
export const keptNames: readonly string[] = readdirSync(folder)
  .filter((name) => /^\d{3}-/.test(name))
  .toSorted();

/** What is here now. */
export const present: Build = {
  name: "present",
  agent: agentProgram,
  svc: svcProgram,
};

/** Unpacks a kept build into a folder of its own, which is removed after the file. */
export async function unpackBuild(name: string): Promise<Build> {
  const to = await mkdtemp(path.join(await realpath(tmpdir()), "svc-build-"));
  afterFile(async () => await rm(to, { ...patiently, force: true }));
  await chmod(to, 0o755);
  const unpack = async (program: string): Promise<string> => {
    const file = path.join(to, `${program}.mjs`);
    const packed = await readFile(path.join(folder, name, `${program}.mjs.br`));
    await writeFile(file, brotliDecompressSync(packed), { mode: 0o755 });
    return file;
  };
  return { name, agent: await unpack("svc-agent"), svc: await unpack("svc") };
}

/** The kept builds after one of them, in the order in which a database is upgraded through them. */
export async function buildsAfter(name: string): Promise<Build[]> {
  const later = keptNames.slice(keptNames.indexOf(name) + 1);
  return await Promise.all(later.map(async (one) => await unpackBuild(one)));
}
