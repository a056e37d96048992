import { mkdir } from "node:fs/promises";
import path from "node:path";
import { writeJobFile, writeJobFileOnce } from "../../job-users/job-files.ts";
import type { Job } from "../../jobs/handler.ts";
import { backendOverride, overrideName } from "./backend-override.ts";
import { refuseLaterOverrides } from "./check-backend.ts";
import { cliConfig, providerStore } from "./cli-config.ts";
import type { TerraformRun } from "./terraform-run.ts";

/** Where a terraform job's files are. What holds values is in memory; what the source's folder gets holds none. */
export type GroundFiles = {
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

/** Writes what terraform is to read: its backend, its own settings, variables, and the plan that is to be applied. */
export async function writeGroundFiles(
  job: Job,
  run: TerraformRun,
  { cwd, data, memory }: Folders,
): Promise<GroundFiles> {
  const { owner } = job.place;
  const { config } = job.host;
  const write = async (file: string, text: string | Uint8Array): Promise<string> => {
    await writeJobFileOnce(file, text, owner);
    return file;
  };
  const store = owner === undefined ? providerStore(config.dataDir) : undefined;
  if (store !== undefined) await mkdir(store, { recursive: true, mode: 0o700 });
  const mirror = config.providerMirror;
  const backend = backendOverride(config.brokerUrl ?? "", run.workspaceId, job.facts.id);
  // Whatever the source has at this name, the agent's word stands.
  await job.once("terraform/backend", async () => {
    await refuseLaterOverrides(cwd);
    await writeJobFile(path.join(cwd, overrideName), backend, owner);
  });
  const varFiles: string[] = [];
  for (const [at, text] of run.varsFiles.entries()) {
    const ending = isJson(text) ? "tfvars.json" : "tfvars";
    varFiles.push(await write(path.join(memory, `vars-${at + 1}.${ending}`), text));
  }
  if (Object.keys(run.vars).length > 0) {
    varFiles.push(await write(path.join(memory, "vars.tfvars.json"), JSON.stringify(run.vars)));
  }
  const plan = path.join(memory, "plan");
  if (run.planFile !== undefined) await write(plan, run.planFile);
  return {
    data,
    cliConfig: await write(path.join(memory, "terraform.rc"), cliConfig({ store, mirror })),
    bareCliConfig: await write(path.join(memory, "bare.rc"), cliConfig({ mirror })),
    varFiles,
    plan,
    planJson: path.join(memory, "plan.json"),
    stateJson: path.join(memory, "state.json"),
    lock: path.join(cwd, ".terraform.lock.hcl"),
    erroredState: path.join(cwd, "errored.tfstate"),
  };
}

function isJson(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null;
  } catch {
    return false;
  }
}
