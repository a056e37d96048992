import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

/** What somebody does who has no OPA. */
export const opaAdvice =
  "Install OPA 1.0 or later (https://www.openpolicyagent.org) and put `opa` on the PATH, or name it by SVC_OPA.";

/** The program of OPA: the one that a setting names, else `opa` on the PATH. Undefined where there is none to execute. */
export async function findOpa(
  named: string | undefined,
  search: string | undefined,
): Promise<string | undefined> {
  const folders = (search ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
  const places = named === undefined ? folders.map((folder) => path.join(folder, "opa")) : [named];
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
