import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { z } from "zod";
import type { CloudEnv } from "./ask-cloud.ts";
import { hostKeys } from "./host-keys.ts";
import type { AwsKeys } from "./sign-v4.ts";
import { assumeRole, assumeRoleByToken, awsRole } from "./sts.ts";
import { tokenInFile } from "./token-in-file.ts";

/** The AWS identity of a job: its first credentials, and the roles that are assumed from there, one after another. */
export const awsIdentity = z.object({
  region: z.string(),
  /** Keys, a token for a role, or else the host's own identity. */
  keys: z
    .object({
      accessKeyId: z.string(),
      secretAccessKey: z.string(),
      sessionToken: z.string().optional(),
    })
    .optional(),
  byToken: awsRole
    .extend({ token: z.string().optional(), tokenFile: z.string().optional() })
    .optional(),
  roles: z.array(awsRole),
});
export type AwsIdentity = z.infer<typeof awsIdentity>;

/** Refreshed this long before they expire, because a request in progress may still need them. */
const leftAtLeastMs = 5 * 60_000;

const kept = z.object({
  accessKeyId: z.string(),
  secretAccessKey: z.string(),
  sessionToken: z.string().optional(),
  expiresAtMs: z.number(),
});

/**
 * Gets the keys of an identity in a file. Keys from STS are cached beside it, in memory, until shortly before they
 * expire, because tools ask often. Throws CredentialFault.
 */
export async function awsKeysOf(file: string, env: CloudEnv): Promise<AwsKeys> {
  const identity = awsIdentity.parse(JSON.parse(await readFile(file, "utf8")));
  const keptFile = `${file}.kept`;
  const before = await readKept(keptFile);
  if (before !== undefined && before.expiresAtMs - Date.now() > leftAtLeastMs) return before;
  const keys = await keysOfIdentity(identity, env);
  if (keys.expiresAtMs !== undefined) await keep(keptFile, keys);
  return keys;
}

/** Gets the keys of an identity: its roles are taken on one from another. Throws CredentialFault. */
export async function keysOfIdentity(
  { region, keys, byToken, roles }: AwsIdentity,
  env: CloudEnv,
): Promise<AwsKeys> {
  let held: AwsKeys;
  if (keys !== undefined) held = keys;
  else if (byToken !== undefined) {
    const token = byToken.token ?? (await tokenInFile(byToken.tokenFile ?? ""));
    held = await assumeRoleByToken(env, byToken, { token, region });
  } else held = await hostKeys(env, region);
  for (const role of roles) held = await assumeRole(env, role, { keys: held, region });
  return held;
}

async function readKept(file: string): Promise<z.infer<typeof kept> | undefined> {
  const text = await readFile(file, "utf8").catch(() => "");
  try {
    return kept.parse(JSON.parse(text));
  } catch {
    return undefined; // no cache yet
  }
}

/** Several tools of a job may do so at once; the write is atomic. */
async function keep(file: string, keys: AwsKeys): Promise<void> {
  const own = `${file}.${process.pid}`;
  try {
    await writeFile(own, JSON.stringify(keys), { mode: 0o600 });
    await rename(own, file);
  } catch {
    await rm(own, { force: true }); // the cache only saves requests
  }
}
