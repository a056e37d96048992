import path from "node:path";
import { readSqlFiles, type SqlFiles } from "./read-sql-files.ts";

/** Where the migrations of this version are; a built program has no such folder. */
export const migrationsFolder = path.join(import.meta.dirname, "..", "..", "migrations");

/** The migrations of this version. In a built program they are part of it: build/baked-modules.ts. */
export async function shippedMigrations(): Promise<SqlFiles> {
  return await readSqlFiles(migrationsFolder);
}
