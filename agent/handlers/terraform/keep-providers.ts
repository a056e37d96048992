import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { cp, link, lstat, mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { providerStore } from "./cli-config.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { vendoredProviders } from "./vendored.ts";

type Installed = {
  readonly job: {
    readonly executionId: string;
    readonly directories: Pick<TerraformContext["job"]["directories"], "owner">;
    readonly agent: {
      readonly config: Pick<TerraformContext["job"]["agent"]["config"], "dataDir">;
      readonly log: Pick<TerraformContext["job"]["agent"]["log"], "warn">;
    };
  };
  readonly run: { readonly source: Pick<TerraformContext["run"]["source"], "kind"> };
  readonly files: Pick<TerraformContext["files"], "data">;
  readonly cwd: string;
};

/**
 * Keeps the providers that were installed for this job, for all jobs on this host. A directory appears there whole or
 * not at all and is never changed, so that any number of jobs may read and run it at the same time. If jobs run as
 * other users, nothing is kept: one of them could plant a provider for the others. Nor is it where an artifact brings
 * providers along, as nobody knows where those are from.
 */
export async function keepProviders({ job, run, files, cwd }: Installed): Promise<void> {
  if (job.directories.owner !== undefined) return;
  if (run.source.kind === "oci" && vendoredProviders(cwd) !== undefined) return;
  const store = providerStore(job.agent.config.dataDir);
  const installed = path.join(files.data, "providers");
  try {
    for (const folder of await packagesIn(installed)) {
      const target = path.join(store, path.relative(installed, folder));
      if (!existsSync(target)) await keep(folder, target);
    }
  } catch (error) {
    // The job has what it needs; the next one installs it again.
    job.agent.log.warn({ err: error, execution_id: job.executionId }, "failed to keep a provider");
  }
}

/** host/namespace/name/version/platform: those that are directories, and not links to kept ones. */
async function packagesIn(folder: string, depth = 5): Promise<string[]> {
  if (!existsSync(folder)) return [];
  const found: string[] = [];
  for (const name of await readdir(folder)) {
    const entry = path.join(folder, name);
    if (!(await lstat(entry)).isDirectory()) continue;
    if (depth === 1) found.push(entry);
    else found.push(...(await packagesIn(entry, depth - 1)));
  }
  return found;
}

async function keep(folder: string, target: string): Promise<void> {
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  // Beside the directories of versions, where terraform does not look.
  const draft = path.join(path.dirname(target), `.${randomUUID()}`);
  try {
    await linked(folder, draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!existsSync(target)) throw error; // else another job was first
  }
}

/** A hard link; a copy when it is on another disk. */
async function linked(from: string, to: string): Promise<void> {
  await mkdir(to, { mode: 0o700 });
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) await linked(source, target);
    else await link(source, target).catch(async () => await cp(source, target));
  }
}
