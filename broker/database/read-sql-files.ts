import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type SqlFile = { readonly file: string; readonly text: string };

/** What a folder of migrations holds: numbered files, files of functions, and which set of functions it is. */
export type SqlFiles = {
  readonly numbered: readonly SqlFile[];
  readonly functions: readonly SqlFile[];
  readonly functionSet: FunctionSet;
};

/** `npm run schema` writes it: a set with another text has a higher revision. */
export type FunctionSet = { readonly revision: number; readonly checksum: string };

/** The whole schema as `npm run schema` writes it, for people; it is never applied. */
const generated = "schema.sql";

/** The files of a folder of migrations, by name. */
export async function readSqlFiles(directory: string): Promise<SqlFiles> {
  const numbered = await readFolder(directory);
  const folder = path.join(directory, "functions");
  const none = { functions: [], functionSet: { revision: 0, checksum: "" } };
  if (!existsSync(folder)) return { numbered, ...none };
  const set = await readFile(path.join(folder, "revision.json"), "utf8");
  return {
    numbered,
    functions: await readFolder(folder),
    functionSet: JSON.parse(set) as FunctionSet, // our own file
  };
}

const isApplied = (file: string): boolean => file.endsWith(".sql") && file !== generated;

async function readFolder(folder: string): Promise<SqlFile[]> {
  const files = (await readdir(folder)).filter(isApplied).sort();
  return await Promise.all(
    files.map(async (file) => ({ file, text: await readFile(path.join(folder, file), "utf8") })),
  );
}
