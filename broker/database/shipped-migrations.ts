import path from "node:path";
import { readSqlFiles, type SqlFile } from "./read-sql-files.ts";

const folder = path.join(import.meta.dirname, "..", "..", "migrations");

/** The migrations of this version. In a built program they are part of it: build/baked-modules.ts. */
export async function shippedMigrations(): Promise<SqlFile[]> {
  return await readSqlFiles(folder);
}
