import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type SqlFile = { readonly file: string; readonly text: string };

/** The .sql files of a directory, by name. */
export async function readSqlFiles(directory: string): Promise<SqlFile[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sql")).sort();
  return await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(path.join(directory, file), "utf8") })),
  );
}
