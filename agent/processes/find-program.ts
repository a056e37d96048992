import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

/** The path of a program, as execvp would find it from a folder; undefined if there is none to execute. */
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
