import type { RunnerJobOperation } from "../../shared/runner-job-types.ts";
import { newId } from "../database/new-id.ts";
import { draftRoleUsage } from "../install-roles/draft-role-usage.ts";
import { draftJobOfStep } from "../workflows/draft-job-of-step.ts";
import type { KindEnvironment } from "../workflows/kinds/kind-environment.ts";
import type { JobDraft, WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { Step } from "../workflows/machine/workflow-rows.ts";
import type { SyncPlanTexts } from "./plan/plan-secrets.ts";

type OfSync = {
  readonly step: Step;
  readonly plan: SyncPlanTexts;
  readonly operation: RunnerJobOperation;
};

/** The job of a step that syncs secrets. */
export function draftSyncJob(
  { facts, seals }: Pick<KindEnvironment, "facts" | "seals">,
  { workflow }: Pick<WorkflowDraft, "workflow">,
  { step, plan, operation }: OfSync,
): JobDraft {
  const of = { id: newId("job"), orgId: facts.org.id, runnerId: facts.runner.id, workflow, step };
  return draftJobOfStep(
    seals,
    {
      ...of,
      shown: plan.shown,
      roleUsage: draftRoleUsage(facts.config, { operation: "sync-secrets" }),
    },
    {
      type: "sandbox-sync-secrets",
      operation,
      ownerId: step.id,
      ownerType: "install_workflow_steps",
      metadata: {
        install_id: facts.install.id,
        app_id: facts.app.id,
        app_config_id: facts.configId,
      },
      plan: plan.text,
      planNames: plan.names,
    },
  );
}
