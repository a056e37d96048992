import type { RunnerJobOperation, RunnerJobType } from "../../shared/runner-job-types.ts";
import { newId } from "../database/new-id.ts";
import { draftJob } from "../jobs/draft-job.ts";
import { sealShownPlan } from "../jobs/shown-plans.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { registryLoginThing } from "../registry/keep-registry-logins.ts";
import { makeJobLogin } from "../registry/make-job-login.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import type { KindEnvironment } from "../workflows/kinds/kind-environment.ts";
import type { DeployRow } from "../workflows/machine/deploy-rows.ts";
import type { JobDraft, WorkflowDraft } from "../workflows/machine/workflow-draft.ts";
import type { Step } from "../workflows/machine/workflow-rows.ts";

type OfJob = {
  readonly step: Step;
  readonly deploy: DeployRow;
  readonly type: RunnerJobType;
  readonly operation: RunnerJobOperation;
  /** Without a login. */
  readonly text: string;
  /** Its masked twin. */
  readonly shown: string;
  readonly names: readonly string[];
  readonly timeoutNs: number;
};

/** A job of a deploy, or of a run of the sandbox, with its login to where the artifact is. It has one execution: only the step is tried again. */
export function draftDeployJob(
  env: KindEnvironment,
  { workflow }: Pick<WorkflowDraft, "workflow">,
  { step, deploy, type, operation, text, shown, names, timeoutNs }: OfJob,
): JobDraft {
  const { facts, seals } = env;
  const id = newId("job");
  const { plan, login } = withLogin(env, id, text);
  const metadata = {
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    install_id: facts.install.id,
    app_id: facts.app.id,
    ...(deploy.app_config_id !== null && { app_config_id: deploy.app_config_id }),
    ...(deploy.component_id !== null && { component_id: deploy.component_id }),
    ...(deploy.build_id !== null && { component_build_id: deploy.build_id }),
  };
  const orgId = facts.org.id as OrgId; // read by it
  const job = draftJob(
    { orgId, actorId: workflow.created_by_id, runnerId: facts.runner.id },
    {
      type,
      operation,
      ownerId: deploy.id,
      ownerType: deploy.component_id === null ? "install_sandbox_runs" : "install_deploys",
      metadata,
      plan,
      planNames: names,
      executionTimeout: timeoutNs,
      maxExecutions: 1,
    },
    { request: 1, id, seals, ahead: new StagedUploads() },
  );
  return {
    ...job,
    workflow_id: workflow.id,
    workflow_step_id: step.id,
    step_job_idx: step.job_idx,
    shown: sealShownPlan(seals, { orgId, id }, shown),
    ...(login && { registry_login: login }),
  };
}

type Registry = { readonly repository: string };
type Plan = {
  readonly src_registry?: Registry;
  readonly oci_source?: { readonly registry: Registry };
};

/** The plan with a login that pulls what it names, where the registry asks for one. */
function withLogin({ facts, seals, deploys }: KindEnvironment, jobId: string, text: string) {
  const { registry, pullLogin } = deploys ?? {};
  const plan = JSON.parse(text) as Plan; // made by planDeploy
  const source = plan.src_registry ?? plan.oci_source?.registry;
  if (source === undefined || registry === undefined) return { plan: text, login: undefined };
  const withAuth = (ociauth: object): string => {
    const own = { ...source, ociauth };
    return JSON.stringify(
      plan.src_registry === undefined
        ? { ...plan, oci_source: { ...plan.oci_source, registry: own } }
        : { ...plan, src_registry: own },
    );
  };
  if (registry.auth === "fixed" && pullLogin !== undefined) {
    const { username, password } = pullLogin;
    const opened = seals.open(registryLoginThing(facts.org.id, "pull"), password).toString();
    return { plan: withAuth({ username, password: opened }), login: undefined };
  }
  if (registry.auth !== "token") return { plan: text, login: undefined };
  const { repository } = source;
  const login = makeJobLogin(jobId, [{ repository, actions: ["pull"] }]);
  return { plan: withAuth(login.ociauth), login: login.stored };
}
