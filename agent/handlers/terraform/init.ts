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
 * Initializes the folder: backend, modules, providers. A lock file of the source's is never changed. Throws JobFailure.
 */
export async function initialize(context: TerraformContext): Promise<void> {
  const { job, run, files } = context;
  // Looked at once: terraform itself writes one.
  const hasLock = await job.once("terraform/lock", async () => await isThere(files.lock));
  const command = initCommand(context, hasLock);
  const next = run.action === "apply" ? showCommand(context) : planCommand(context);
  const first = await runTerraform(context, { ...command, next });
  const ran = needsOthers(first) ? await again(context, command) : first;
  if (!isWell(ran)) throw await failureOfRun(context, "init", ran);
  await keepProviders(context);
}

/** Makes the initialization ready while the files that it reads are written: as it will be, as far as that is known. */
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
    env: isBound ? env : { ...lavish, ...env },
  };
}

/**
 * An initialization holds little in memory and starts no provider: without its garbage being collected, a third of its
 * time, it stays small. Beyond the limit it is collected all the same; where jobs have a bound of
 * their own, as usual from the beginning.
 */
const lavish = { GOGC: "400", GOMEMLIMIT: "256MiB" };

const isThere = async (file: string): Promise<boolean> => await Promise.resolve(existsSync(file));

/** What the host has kept may be another build than the one that the lock file names. */
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
    "What this host has kept of a provider does not fit the lock file; it is fetched anew.";
  job.log(words, "warn", "init", "init again");
  const env = { ...command.env, TF_CLI_CONFIG_FILE: files.bareCliConfig };
  return await runTerraform(context, { ...command, key: "init-2", env });
}
