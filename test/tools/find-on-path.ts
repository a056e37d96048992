import { accessSync, constants } from "node:fs";
import path from "node:path";

/** A program of the PATH; undefined if none of its folders has it. */
export function findOnPath(program: string): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter).filter((it) => it !== "");
  return folders.map((folder) => path.join(folder, program)).find(isProgram);
}

/** Whether a file is there and may be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
