import path from "node:path";
import type { TerraformRun } from "./terraform-run.ts";

/**
 * The files of a terraform job. Those that contain values are in memory; those in the source's directory contain none.
 */
export type TerraformFiles = {
  /** TF_DATA_DIR: modules and providers. */
  readonly data: string;
  readonly cliConfig: string;
  /** The CLI configuration that does not use the providers that the host keeps. */
  readonly bareCliConfig: string;
  readonly varFiles: readonly string[];
  readonly plan: string;
  /** The output of `show -json` for the plan. */
  readonly planJson: string;
  readonly stateJson: string;
  readonly lock: string;
  /** The file to which terraform writes a state that it cannot send to the broker. */
  readonly erroredState: string;
};

type Folders = { readonly cwd: string; readonly data: string; readonly memory: string };

/** The paths of a job's files; none of the files exists yet. */
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

function isJson(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null;
  } catch {
    return false;
  }
}
