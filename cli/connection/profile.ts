import { rm } from "node:fs/promises";
import { z } from "zod";
import { readSecretFile, writeSecretFile } from "./secret-file.ts";

const profileSchema = z.object({
  url: z.string(),
  token: z.string(),
  org: z.string().optional(),
});
export type Profile = z.infer<typeof profileSchema>;

/** The saved profile, if any. */
export async function readProfile(file: string): Promise<Profile | undefined> {
  return await readSecretFile(file, profileSchema);
}

/** Saves the profile for later commands; only its owner can read the file. */
export async function writeProfile(file: string, profile: Profile): Promise<void> {
  await writeSecretFile(file, profile);
}

/** Forgets the profile. */
export async function removeProfile(file: string): Promise<void> {
  await rm(file, { force: true });
}
