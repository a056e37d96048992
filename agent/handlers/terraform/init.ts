import { existsSync } from "node:fs";
import { keepProviders } from "./keep-providers.ts";
import { planCommand, showCommand } from "./make-plan.ts";
import {
  isWell,
  makeTerraformReady,
  type Ran,
  runTerraform,
  type TerraformCommand,
} from "./run-terraform.ts";
import type { TerraformContext } from "./terraform-context.ts";
import { failureOfRun } from "./terraform-failure.ts";

/**
 * Initializes the directory: backend, modules, providers. The source's lock file is never changed. Throws JobFailure.
 */
export async function initialize(context: TerraformContext): Promise<void> {
  const { job, run, files } = context;
  // Read once, as terraform itself writes one.
  const hasLock = await job.once("terraform/lock", async () => await isThere(files.lock));
  const command = initCommand(context, hasLock);
  const next = run.action === "apply" ? showCommand(context) : planCommand(context);
  const first = await runTerraform(context, { ...command, next });
  const ran = needsOthers(first) ? await again(context, command) : first;
  if (!isWell(ran)) throw await failureOfRun(context, "init", ran);
  await keepProviders(context);
}

/** Prestarts the initialization while the files that it reads are written, with its expected arguments. */
export function makeInitReady(context: TerraformContext): void {
  const { run, files } = context;
  makeTerraformReady(
    context,
    initCommand(context, run.planFile !== undefined || existsSync(files.lock)),
  );
}

function initCommand({ job, env }: TerraformContext, hasLock: boolean): TerraformCommand {
  const isBound = job.agent.config.jobMemoryMax !== undefined;
  const args = ["init", "-input=false", "-no-color", ...(hasLock ? ["-lockfile=readonly"] : [])];
  return {
    key: "init",
    step: "init",
    args,
    output: "text",
    env: isBound ? env : { ...lessCollection, ...env },
  };
}

/**
 * An initialization needs little memory and starts no provider. Without garbage collection, a third of its time, it
 * stays small; beyond the limit garbage is collected nevertheless. With a memory limit on jobs, it is collected as usual.
 */
const lessCollection = { GOGC: "400", GOMEMLIMIT: "256MiB" };

const isThere = async (file: string): Promise<boolean> => await Promise.resolve(existsSync(file));

/** The host may keep another build of a provider than the one in the lock file. */
function needsOthers({ end, said }: Ran): boolean {
  return (
    end.why === "exited" &&
    end.code !== 0 &&
    said.diagnostics.some(({ detail }) => /checksums previously recorded/.test(detail))
  );
}

async function again(context: TerraformContext, command: TerraformCommand): Promise<Ran> {
  const { job, files } = context;
  const words =
    "A provider that this host keeps does not match the lock file; it is downloaded again.";
  job.log(words, "warn", "init", "init again");
  const env = { ...command.env, TF_CLI_CONFIG_FILE: files.bareCliConfig };
  return await runTerraform(context, { ...command, key: "init-2", env });
}
