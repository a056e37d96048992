import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

/** Where a program is, as the kernel would look for it from a folder; nothing if there is none to be run. */
export async function findProgram(
  name: string,
  { cwd, search }: { readonly cwd: string; readonly search: string },
): Promise<string | undefined> {
  const places = name.includes("/")
    ? [path.resolve(cwd, name)]
    : search.split(":").map((folder) => path.resolve(cwd, folder, name));
  for (const place of places) {
    if (await isProgram(place)) return place;
  }
  return undefined;
}

async function isProgram(place: string): Promise<boolean> {
  try {
    await access(place, constants.X_OK);
    return (await stat(place)).isFile();
  } catch {
    return false;
  }
}
