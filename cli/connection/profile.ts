import { z } from "zod";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readSecretFile, writeSecretFile } from "./secret-file.ts";

const profileSchema = z.object({
  url: z.string(),
  token: z.string(),
  org: z.string().optional(),
  /** The runner of commands that name none. */
  runner: z.string().optional(),
  /** Other names of svc, with which configs are checked. */
  brands: z.array(z.string()).readonly().optional(),
});
export type Profile = z.infer<typeof profileSchema>;

const profilesSchema = z.object({
  /** The one that is used unless told; `dev` may be it, too. */
  current: z.string().optional(),
  profiles: z.record(z.string(), profileSchema),
});
export type Profiles = z.infer<typeof profilesSchema>;

/** As it was when there was one only. */
const soleSchema = profileSchema.transform((profile): Profiles => ({
  current: usualName,
  profiles: { [usualName]: profile },
}));
const fileSchema = z.union([profilesSchema, soleSchema]);

/** The name of a profile that is given none. */
export const usualName = "default";
/** The name of what the project's `svc dev` keeps: it is always there, and never saved. */
export const devName = "dev";

/** The saved profiles. */
export async function readProfiles(file: string): Promise<Profiles> {
  return (await readSecretFile(file, fileSchema)) ?? { profiles: {} };
}

/** Saves the profiles for later commands; only their owner can read the file. */
export async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  await writeSecretFile(file, profiles);
}

/** The names there are, for whoever named another. */
export function unknownProfile(name: string, { profiles }: Profiles): UsageError {
  const names = [...Object.keys(profiles), devName].join(", ");
  return new UsageError(`There is no profile "${name}".`, `There are: ${names}.`);
}

/** A UsageError for a name that no profile can have. */
export function requireProfileName(name: string): string {
  if (name === devName)
    throw new UsageError(`The name ${devName} stands for the project's svc dev: choose another.`);
  if (/^[\w.-]{1,64}$/.test(name)) return name;
  throw new UsageError("A profile's name has 1 to 64 letters, digits, dots, - and _.");
}

/** The profiles without one of them. */
export function withoutProfile({ current, profiles }: Profiles, name: string): Profiles {
  const { [name]: _gone, ...rest } = profiles;
  return { ...(current !== name && { current }), profiles: rest };
}
