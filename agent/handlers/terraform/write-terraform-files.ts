import { mkdir } from "node:fs/promises";
import path from "node:path";
import { writeJobFile, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { backendOverride, overrideName } from "./backend-override.ts";
import { refuseLaterOverrides } from "./check-backend.ts";
import { cliConfig, providerStore } from "./cli-config.ts";
import type { TerraformRun } from "./terraform-run.ts";

/** Where a terraform job's files are. What holds values is in memory; what the source's folder gets holds none. */
export type TerraformFiles = {
  /** TF_DATA_DIR: modules and providers. */
  readonly data: string;
  readonly cliConfig: string;
  /** Without the providers that the host has kept. */
  readonly bareCliConfig: string;
  readonly varFiles: readonly string[];
  readonly plan: string;
  /** What `show -json` says of it. */
  readonly planJson: string;
  readonly stateJson: string;
  readonly lock: string;
  /** Where terraform writes a state that it cannot bring to the broker. */
  readonly erroredState: string;
};

type Folders = { readonly cwd: string; readonly data: string; readonly memory: string };

/** The files of a job; none of them is there yet. */
export function terraformFiles(run: TerraformRun, { cwd, data, memory }: Folders): TerraformFiles {
  const names = run.varsFiles.map(
    (text, at) => `vars-${at + 1}.${isJson(text) ? "tfvars.json" : "tfvars"}`,
  );
  const hasVars = Object.keys(run.vars).length > 0;
  return {
    data,
    cliConfig: path.join(memory, "terraform.rc"),
    bareCliConfig: path.join(memory, "bare.rc"),
    varFiles: [...names, ...(hasVars ? ["vars.tfvars.json"] : [])].map((name) =>
      path.join(memory, name),
    ),
    plan: path.join(memory, "plan"),
    planJson: path.join(memory, "plan.json"),
    stateJson: path.join(memory, "state.json"),
    lock: path.join(cwd, ".terraform.lock.hcl"),
    erroredState: path.join(cwd, "errored.tfstate"),
  };
}

/** Writes what terraform is to read: its backend, its own settings, variables, and the plan that is to be applied. */
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
  const backend = backendOverride(config.brokerUrl ?? "", run.workspaceId, job.facts.id);
  // Whatever the source has at this name, the agent's word stands.
  const last = job.once("terraform/backend", async () => {
    await refuseLaterOverrides(cwd);
    await writeJobFile(path.join(cwd, overrideName), backend, owner);
  });
  const vars = Object.keys(run.vars).length > 0 ? [JSON.stringify(run.vars)] : [];
  const texts: readonly (readonly [string | undefined, string | Uint8Array | undefined])[] = [
    [files.cliConfig, cliConfig({ store, mirror })],
    [files.bareCliConfig, cliConfig({ mirror })],
    ...[...run.varsFiles, ...vars].map((text, at) => [files.varFiles[at], text] as const),
    [files.plan, run.planFile],
  ];
  const writing = texts.map(async ([file, text]) => {
    if (file !== undefined && text !== undefined) await writeJobFileOnce(file, text, owner);
  });
  await Promise.all([last, ...writing]);
}

function isJson(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null;
  } catch {
    return false;
  }
}
