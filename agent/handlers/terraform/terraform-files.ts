import path from "node:path";
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

function isJson(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text);
    return typeof read === "object" && read !== null;
  } catch {
    return false;
  }
}
