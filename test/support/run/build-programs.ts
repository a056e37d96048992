import { chmod, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { bundle } from "../../../build/bundle.ts";
import { programs } from "../../../build/programs.ts";
import { testKeyLine } from "../broker/seal-keys.ts";
import { patiently } from "./folder.ts";

export type PresentPrograms = {
  readonly folder: string;
  /** The sources have changed. */
  readonly again: () => Promise<void>;
  readonly remove: () => Promise<void>;
};

/** Builds agent and command line into a folder of this run's own, where any user can start them; the key of tests lies beside. */
export async function buildPrograms(): Promise<PresentPrograms> {
  const folder = await mkdtemp(path.join(await realpath(tmpdir()), "svc-programs-"));
  await chmod(folder, 0o755);
  await writeFile(path.join(folder, "seal-keys"), `${testKeyLine}\n`);
  const spawned = programs.filter(({ name }) => name !== "svc-broker");
  const again = async () => {
    await Promise.all(spawned.map(async (program) => await bundle(program, folder)));
  };
  await again();
  return { folder, again, remove: async () => await rm(folder, { ...patiently, force: true }) };
}
