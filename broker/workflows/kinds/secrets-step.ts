import { draftSyncJob } from "../../install-secrets/draft-sync-job.ts";
import { chooseSecrets } from "../../install-secrets/plan/choose-secrets.ts";
import { syncedSecrets } from "../../install-secrets/synced-secrets.ts";
import { stateBase } from "../../installs/state-base.ts";
import type { StepKind, StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { Step } from "../machine/workflow-rows.ts";
import { deployOutcome } from "./deploy-outcome.ts";
import type { KindEnvironment } from "./kind-environment.ts";
import { roleFault } from "./role-fault.ts";
import { waitsForJob } from "./waits-for-job.ts";

/** Has the install's runner copy its secrets into the cluster, and keeps what it tells of them. Where nothing is to be changed the runner only looks. */
export const secretsStep = (env: KindEnvironment): StepKind => ({
  hasJob: true,
  readsOutputs: true,
  begin: (draft, step) => beginSync(env, draft, step),
  look(draft, step) {
    const job = draft.jobOf(step);
    if (job === undefined || waitsForJob(step, job)) return { kind: "wait" };
    return deployOutcome(job);
  },
  ended(draft, { status, job_id: jobId }) {
    if (status !== "success" || jobId === null || draft.workflow.plan_only) return;
    const names = (env.facts.secrets ?? []).map(({ name }) => name);
    const secrets = syncedSecrets(env.outputsOf(jobId), names);
    draft.install.syncedSecrets = { runner_job_id: jobId, secrets };
  },
});

function beginSync(env: KindEnvironment, draft: WorkflowDraft, step: Step): StepOutcome {
  const { facts } = env;
  const noRole = roleFault(draft);
  if (noRole !== undefined) return { kind: "fault", fault: noRole };
  const chosen = chooseSecrets(facts, facts.config.secrets?.secret ?? []);
  if ("code" in chosen) return { kind: "fault", fault: chosen };
  if (chosen.length === 0) return { kind: "unchanged", detail: "no secret is to be copied" };
  const order = { facts: stateBase(facts), chosen };
  const plan = env.rendered(step.id, "secrets", { given: order, values: facts.values });
  if ("code" in plan) return { kind: "fault", fault: plan };
  const operation = draft.workflow.plan_only ? "create-apply-plan" : "exec";
  return { kind: "job", job: draftSyncJob(env, draft, { step, plan, operation }) };
}
