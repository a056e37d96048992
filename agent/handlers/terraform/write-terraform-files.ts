import { mkdir } from "node:fs/promises";
import path from "node:path";
import { writeJobFile, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { renderFiles } from "../../templates/render-files.ts";
import { backendOverride, overrideName } from "./backend-override.ts";
import { refuseLaterOverrides } from "./check-backend.ts";
import { cliConfig, providerStore } from "./cli-config.ts";
import { writeKyvernoPolicies } from "./kyverno-policies.ts";
import type { TerraformFiles } from "./terraform-files.ts";
import type { TerraformRun } from "./terraform-run.ts";
import { variablesIn } from "./variables-in.ts";
import { takeModules, vendoredProviders } from "./vendored.ts";

/** Writes the files that terraform reads: its backend, its CLI configuration, variables, and the plan to apply. */
export async function writeTerraformFiles(
  job: Job,
  run: TerraformRun,
  { cwd, files }: { readonly cwd: string; readonly files: TerraformFiles },
): Promise<void> {
  const { owner } = job.directories;
  const { config } = job.agent;
  const store = owner === undefined ? providerStore(config.dataDir) : undefined;
  if (store !== undefined) await mkdir(store, { recursive: true, mode: 0o700 });
  const mirror = config.providerMirror;
  const isArtifact = run.source.kind === "oci";
  const vendored = isArtifact ? vendoredProviders(cwd) : undefined;
  if (isArtifact) await takeModules(cwd, files.data, owner);
  const backend = backendOverride(config.brokerUrl ?? "", run.workspaceId, job.info.id);
  await renderFiles(job, { key: "variables", folder: cwd, names: variablesIn(cwd) }, run.known);
  // Replaces any file of the source with this name.
  const last = job.once("terraform/backend", async () => {
    await refuseLaterOverrides(cwd);
    await writeJobFile(path.join(cwd, overrideName), backend, owner);
  });
  const vars = Object.keys(run.vars).length > 0 ? [JSON.stringify(run.vars)] : [];
  const texts: readonly (readonly [string | undefined, string | Uint8Array | undefined])[] = [
    [files.cliConfig, cliConfig({ vendored, store, mirror })],
    [files.bareCliConfig, cliConfig({ vendored, mirror })],
    ...[...run.varsFiles, ...vars].map((text, at) => [files.varFiles[at], text] as const),
    [files.plan, run.planFile],
  ];
  const writing = texts.map(async ([file, text]) => {
    if (file !== undefined && text !== undefined) await writeJobFileOnce(file, text, owner);
  });
  await Promise.all([last, writeKyvernoPolicies(job, cwd, run.kyverno), ...writing]);
}
