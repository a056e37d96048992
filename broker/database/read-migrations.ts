import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";

export type Migration = {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
};

const shipped = path.join(import.meta.dirname, "..", "..", "migrations");
const fileName = /^\d{4}-[a-z0-9-]+\.sql$/;

/** The migrations of a directory (ours unless told) in the order they are applied. */
export async function readMigrations(directory = shipped): Promise<Migration[]> {
  const files = (await readdir(directory)).filter((file) => file.endsWith(".sql")).sort();
  requireOrder(files);
  return await Promise.all(files.map((file) => readMigration(directory, file)));
}

function requireOrder(files: readonly string[]): void {
  for (const [at, file] of files.entries()) {
    if (!fileName.test(file)) throw new Error(`${file} is not named NNNN-words.sql`);
    if (Number(file.slice(0, 4)) !== at + 1) throw new Error(`${file} leaves a gap or repeats`);
  }
}

async function readMigration(directory: string, file: string): Promise<Migration> {
  const text = (await readFile(path.join(directory, file), "utf8")).replaceAll("\r\n", "\n");
  const checksum = createHash("sha256").update(text).digest("hex");
  return { name: file.replace(/\.sql$/, ""), text, checksum };
}
