import { existsSync } from "node:fs";
import { keepProviders } from "./keep-providers.ts";
import { runTerraform, isWell, type Ran } from "./run-terraform.ts";
import { failureOfRun } from "./terraform-failure.ts";
import type { TerraformGround } from "./terraform-ground.ts";

/**
 * Initializes the folder: backend, modules, providers. A lock file of the source's is never changed. Throws JobFailure.
 */
export async function initialize(ground: TerraformGround): Promise<void> {
  const { job, files } = ground;
  // Looked at once: terraform itself writes one.
  const hasLock = await job.once("terraform/lock", async () => await isThere(files.lock));
  const args = ["init", "-input=false", "-no-color", ...(hasLock ? ["-lockfile=readonly"] : [])];
  const first = await runTerraform(ground, { key: "init", step: "init", args, output: "text" });
  const ran = needsOthers(first) ? await again(ground, args) : first;
  if (!isWell(ran)) throw await failureOfRun(ground, "init", ran);
  await keepProviders(ground);
}

const isThere = async (file: string): Promise<boolean> => await Promise.resolve(existsSync(file));

/** What the host has kept may be another build than the one that the lock file names. */
function needsOthers({ end, said }: Ran): boolean {
  return (
    end.why === "exited" &&
    end.code !== 0 &&
    said.diagnostics.some(({ detail }) => /checksums previously recorded/.test(detail))
  );
}

async function again(ground: TerraformGround, args: readonly string[]): Promise<Ran> {
  const { job, files } = ground;
  const words =
    "What this host has kept of a provider does not fit the lock file; it is fetched anew.";
  job.say(words, "warn", "init", "init again");
  const env = { TF_CLI_CONFIG_FILE: files.bareCliConfig };
  return await runTerraform(ground, { key: "init-2", step: "init", args, output: "text", env });
}
