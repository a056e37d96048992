import { cp, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "../run/folder.ts";

/** The numbered migrations up to this one. */
export async function formerMigrations(last: string): Promise<string> {
  const directory = join(await testFolder(), "migrations");
  await cp("migrations", directory, { recursive: true });
  const files = await readdir(directory);
  const later = files.filter((name) => /^\d{4}-/.test(name) && name.slice(0, 4) > last);
  for (const name of later) await rm(join(directory, name));
  return directory;
}
