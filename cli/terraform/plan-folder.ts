import { UsageError } from "../../shared/command-line/usage-error.ts";
import { readInput } from "../connection/connection.ts";
import { readPairs } from "../flags/read-flags.ts";
import { makePlan } from "../plans/make-plan.ts";
import { packFolder } from "../plans/pack-folder.ts";
import { type MadePlan, type PlanKind, showOutputs, type Terminal } from "../plans/plan-kind.ts";
import { findOwnWorkspace, ownerType } from "./own-workspace.ts";
import { plannedTerraform } from "./planned-terraform.ts";

export type PlanAsk = {
  readonly folder: string;
  readonly runnerId: string;
  readonly workspace: string;
  readonly vars: readonly string[];
  readonly varFiles: readonly string[];
  readonly targets: readonly string[];
  readonly isDestroy: boolean;
  readonly isRefreshOnly: boolean;
};

/** Plans of terraform, as people have them made and applied. */
export const terraformKind: PlanKind = {
  noun: "terraform",
  type: "terraform-deploy",
  ownerType,
  plansBy: "svc terraform plan",
  appliesBy: { "create-apply-plan": "apply", "create-teardown-plan": "apply" },
  readPlanned: plannedTerraform,
  showOutputs,
};

/** What stays here: what terraform makes itself, other tools' folders, and states, which hold secrets. */
const leftOut =
  /^(?:\.terraform|\.git|\.svc|\.terragrunt-cache|crash(?:\..*)?\.log|.*\.tfstate(?:\..*)?|.*\.tfplan)$/;

/** A folder with configuration as a plan's archive. */
export async function packConfiguration(folder: string): Promise<string> {
  return await packFolder(folder, {
    leftOut,
    holds: /\.(?:tf|tofu)(?:\.json)?$/,
    otherwise: "holds no terraform configuration: there is no *.tf in it",
    hint: "What terraform makes itself (.terraform, *.tfstate) and .git are left out already.",
  });
}

/** Sends a folder to a runner, has it planned there and shows the plan. */
export async function planFolder(at: Terminal, asked: PlanAsk): Promise<MadePlan> {
  const { folder, runnerId, isDestroy, isRefreshOnly } = asked;
  const [archive, varsFiles] = await Promise.all([
    packConfiguration(folder),
    Promise.all(asked.varFiles.map(readInput)),
  ]);
  const { id: workspaceId, ownerId } = await findOwnWorkspace(at, folder, asked.workspace);
  const planText = JSON.stringify({
    terraform: {
      terraform_backend: { WorkspaceID: workspaceId },
      source: { archive },
      vars: readVars(asked.vars),
      vars_files: varsFiles,
      ...(asked.targets.length > 0 && { targets: asked.targets }),
      ...(isRefreshOnly && { refresh_only: true }),
    },
  });
  return await makePlan(at, terraformKind, {
    runnerId,
    operation: isDestroy ? "create-teardown-plan" : "create-apply-plan",
    ownerId,
    planText,
    told: { workspace_id: workspaceId },
  });
}

/** A text, or JSON where it looks like a list or an object: what a variable's type makes of a text, terraform knows. */
function readVars(given: readonly string[]): Record<string, unknown> {
  const pairs = readPairs("--var", given);
  return Object.fromEntries(
    Object.entries(pairs).map(([name, text]) => [name, valueOf(name, text)]),
  );
}

function valueOf(name: string, text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`--var ${name}: a list or an object is given as JSON.`);
  }
}
