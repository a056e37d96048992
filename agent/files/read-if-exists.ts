import { readFile } from "node:fs/promises";
import { errorCode } from "./disk-error.ts";

/** A file's text, and none of one that is not there. What cannot be read is thrown: it may hold something. */
export async function readIfExists(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}
