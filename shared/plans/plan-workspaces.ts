import { z } from "zod";
import type { RunnerJobType } from "../runner-job-types.ts";
import { sandboxMode } from "./plan-members.ts";
import { terraformPlan } from "./terraform-plan.ts";

const named = z.looseObject({ WorkspaceID: z.string().nullish() }).nullish();

const withWorkspaces = z.looseObject({
  terraform_backend: named,
  terraform: terraformPlan.pick({ terraform_backend: true }).nullish(),
  pulumi: z.looseObject({ terraform_backend: named, pulumi_backend: named }).nullish(),
  sandbox_mode: sandboxMode,
});

/** What a plan lets its job do with state: the workspaces that it names, and whether it only simulates. */
export type PlanWorkspaces = {
  readonly ids: readonly string[];
  /** Those of them that Pulumi keeps its state in. */
  readonly pulumiIds: readonly string[];
  readonly isSandbox: boolean;
};

/** The workspaces that a plan of any kind names; none for a text that is no such plan. */
export function planWorkspaces(planText: string, type: RunnerJobType): PlanWorkspaces {
  const { success, data: plan } = withWorkspaces.safeParse(JSON.parse(planText));
  if (!success) return { ids: [], pulumiIds: [], isSandbox: false };
  const own = idsOf(plan.terraform_backend);
  const pulumi = idsOf(plan.pulumi?.terraform_backend, plan.pulumi?.pulumi_backend);
  return {
    ids: [...own, ...idsOf(plan.terraform?.terraform_backend), ...pulumi],
    pulumiIds: type === "sandbox-pulumi" ? [...own, ...pulumi] : pulumi, // that plan is the sandbox's own
    isSandbox: plan.sandbox_mode?.enabled === true,
  };
}

function idsOf(...backends: readonly z.output<typeof named>[]): string[] {
  return backends.flatMap((backend) => backend?.WorkspaceID ?? []);
}
