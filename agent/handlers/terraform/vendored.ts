import { existsSync } from "node:fs";
import path from "node:path";
import { makeJobFolders, readJobText, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { FileOwner } from "../../job-users/job-files.ts";

/** Where terraform looks by itself for what an artifact brings along. */
const [modulesAt, providersAt] = [".terraform/modules", ".terraform/providers"];
const mostListBytes = 4 * 2 ** 20;

/** The folder of the providers that an artifact brings along, if it does. */
export function vendoredProviders(directory: string): string | undefined {
  const place = path.join(directory, providersAt);
  return existsSync(place) ? place : undefined;
}

/**
 * Tells terraform of the modules that an artifact brings along: with its list in the data folder it uses them where they
 * are, and fetches none.
 */
export async function takeModules(
  directory: string,
  data: string,
  owner: FileOwner,
): Promise<void> {
  const list = await readJobText(
    path.join(directory, modulesAt, "modules.json"),
    owner,
    mostListBytes,
  );
  if (list === "") return;
  const folder = path.join(data, "modules");
  await makeJobFolders([folder], owner);
  await writeJobFileOnce(path.join(folder, "modules.json"), list, owner);
}
