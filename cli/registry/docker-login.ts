import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { z } from "zod";
import { UsageError } from "../../shared/command-line/usage-error.ts";

const dockerConfig = z.looseObject({
  auths: z.record(z.string(), z.looseObject({})).optional(),
  credsStore: z.string().optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
});

/** The file in which docker keeps its logins; oras, crane and helm read it, too. */
export const dockerConfigFile = (env: Readonly<Record<string, string | undefined>>): string =>
  path.join(env["DOCKER_CONFIG"] || path.join(homedir(), ".docker"), "config.json");

/** Writes a login for a registry to docker's file; all else in it stays. A UsageError where a helper keeps logins, or it cannot be read. */
export async function addDockerLogin(
  file: string,
  host: string,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<void> {
  const config = await readConfig(file);
  const helper = config.credHelpers?.[host] ?? config.credsStore;
  if (helper !== undefined && helper !== "")
    throw new UsageError(
      `${file} says that the helper ${helper} keeps logins. Hand it this one: svc registry login --password | docker login ${host} -u ${user} --password-stdin`,
    );
  const auth = Buffer.from(`${user}:${password}`).toString("base64");
  const written = { ...config, auths: { ...config.auths, [host]: { auth } } };
  const next = `${file}.${process.pid}.tmp`;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(next, `${JSON.stringify(written, undefined, "\t")}\n`, { mode: 0o600 });
  await rename(next, file);
}

async function readConfig(file: string): Promise<z.infer<typeof dockerConfig>> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "{}";
    throw new UsageError(`${file} cannot be read (${error.code ?? "unknown"}).`);
  });
  try {
    return dockerConfig.parse(JSON.parse(text));
  } catch {
    throw new UsageError(
      `${file} is not what docker writes: mend it, or name another with --file.`,
    );
  }
}
