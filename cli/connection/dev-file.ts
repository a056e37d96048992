import { rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { readSecretFile, writeSecretFile } from "./secret-file.ts";

const devSchema = z.object({
  url: z.string(),
  org_id: z.string(),
  runner_id: z.string(),
  admin_token: z.string(),
  runner_token: z.string(),
  /** The org's own runner, which builds; earlier versions made none. */
  builds_runner_id: z.string().default(""),
  builds_runner_token: z.string().default(""),
});

/** What `svc dev` made at its first start. The database has only digests of the tokens, so they are kept here. */
export type DevFile = z.infer<typeof devSchema>;

const fileIn = (dataDir: string): string => path.join(dataDir, "dev.json");

/** What an earlier start kept; undefined when there was none. */
export async function readDevFile(dataDir: string): Promise<DevFile | undefined> {
  return await readSecretFile(fileIn(dataDir), devSchema);
}

/** Keeps it for the next start, and for commands that are run in this project. */
export async function writeDevFile(dataDir: string, dev: DevFile): Promise<void> {
  await writeSecretFile(fileIn(dataDir), dev);
}

/** Forgets it. */
export async function removeDevFile(dataDir: string): Promise<void> {
  await rm(fileIn(dataDir), { force: true });
}
