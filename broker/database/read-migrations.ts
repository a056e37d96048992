import { createHash } from "node:crypto";
import { readSqlFiles, type SqlFile } from "./read-sql-files.ts";
import { shippedMigrations } from "./shipped-migrations.ts";

export type Migration = {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
};

const fileName = /^\d{4}-[a-z0-9-]+\.sql$/;

/** The migrations of a directory (ours unless told) in the order they are applied. */
export async function readMigrations(directory?: string): Promise<Migration[]> {
  const files = directory === undefined ? await shippedMigrations() : await readSqlFiles(directory);
  requireOrder(files);
  return files.map(asMigration);
}

function requireOrder(files: readonly SqlFile[]): void {
  for (const [at, { file }] of files.entries()) {
    if (!fileName.test(file)) throw new Error(`${file} is not named NNNN-words.sql`);
    if (Number(file.slice(0, 4)) !== at + 1) throw new Error(`${file} leaves a gap or repeats`);
  }
}

function asMigration({ file, text: read }: SqlFile): Migration {
  const text = read.replaceAll("\r\n", "\n");
  const checksum = createHash("sha256").update(text).digest("hex");
  return { name: file.replace(/\.sql$/, ""), text, checksum };
}
