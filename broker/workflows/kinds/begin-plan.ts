import { kyvernoPolicies } from "../../../shared/policies/choose-policies.ts";
import {
  plansWithKyverno,
  plansWithPullSecret,
  runnerJobType,
} from "../../../shared/runner-job-types.ts";
import { chooseBuild, type WhichBuild } from "../../deploys/choose-build.ts";
import type { DeployOrder } from "../../deploys/deploy-order.ts";
import { type ChosenBuild, typeOfPart } from "../../deploys/deploy-part.ts";
import { draftDeployJob } from "../../deploys/draft-deploy-job.ts";
import { placeOfArtifact } from "../../deploys/place-of-artifact.ts";
import { pullSecretOfPart } from "../../deploys/pull-secret.ts";
import { stateBase } from "../../installs/state-base.ts";
import type { HeldWorkspace } from "../machine/deploy-rows.ts";
import { faultOf, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { CompositeFault } from "../machine/workflow-rows.ts";
import { moveDeploy, type OfDeploy } from "./keep-deploy.ts";
import type { KindEnvironment } from "./kind-environment.ts";
import { putOff, waitForBuild, waitForOthers } from "./put-off.ts";
import { roleFault } from "./role-fault.ts";

/** What the plan of a deploy is rendered of. */
export function orderOf(
  env: KindEnvironment,
  { step, deploy, part, target }: OfDeploy,
  { build, configured }: ChosenBuild,
): DeployOrder {
  const { facts, deploys } = env;
  const place = placeOfArtifact(build.artifact, deploys?.registry);
  const isTeardown = step.params["is_teardown"] === true;
  const kyverno = isTeardown ? undefined : policiesOfCluster(env, configured);
  return {
    // A part of an older config is rendered with what that config has by name.
    facts: stateBase({
      ...facts,
      config: deploys?.configs.get(configured.configId) ?? facts.config,
    }),
    appConfigId: configured.configId,
    part:
      "component" in configured.part
        ? { component: configured.part.component, componentId: part.componentId ?? "" }
        : configured.part,
    target: { id: target.id, workspace_id: target.workspace_id, chart_id: target.chart_id },
    deployId: deploy.id,
    operation: isTeardown ? "teardown" : "apply",
    pullSecret: pullSecretOfPart(env, {
      name: part.name,
      configId: configured.configId,
      isTeardown,
    }),
    artifact: place ?? null,
    references: build.artifact.references ?? [],
    ...(kyverno !== undefined && { kyverno }),
  };
}

/** They are those of the workflow's config, and are applied by a sandbox of terraform. */
function policiesOfCluster({ facts }: KindEnvironment, { part }: ChosenBuild["configured"]) {
  if (!("sandbox" in part) || part.sandbox.type === "pulumi") return undefined;
  const policies = kyvernoPolicies(facts.config);
  return Object.keys(policies).length === 0 ? undefined : policies;
}

/** Begins the job that plans a deploy, once its build is there and nobody else works on the same; that of a retry once its workspace is free. */
export function beginPlan(env: KindEnvironment, draft: WorkflowDraft, of: OfDeploy): StepOutcome {
  const { step, deploy, part, target } = of;
  const noRole = roleFault(draft);
  if (noRole !== undefined) return { kind: "fault", fault: noRole };
  const chosen = chooseBuild(part, step.params["which"] as WhichBuild); // of a type's groups
  if ("code" in chosen) return { kind: "fault", fault: chosen };
  const { build, configured } = chosen;
  Object.assign(deploy, { build_id: build.id, app_config_id: configured.configId });
  if (build.status !== "active") return putOff(draft, of, waitForBuild(build.id));
  if (target.is_busy) return putOff(draft, of, waitForOthers);
  if (step.retry_index > 0 && !deploy.plan_only && target.held !== null)
    return putOff(draft, of, waitForWorkspace(target.workspace_id, target.held));
  const { facts } = env;
  const isTeardown = step.params["is_teardown"] === true;
  const order = orderOf(env, of, chosen);
  const place = order.artifact;
  const planned = env.rendered(deploy.id, "deploy", { given: order, values: facts.values });
  if ("code" in planned && planned.code === "missing_value" && deploy.plan_only)
    return { kind: "unchanged", detail: planned.detail }; // what would bring it is not done here
  if ("code" in planned) return { kind: "fault", fault: planned };
  const valuesDigest = keyed(env, planned.valuesDigest);
  Object.assign(deploy, {
    artifact:
      build.artifact.digest === undefined ? {} : { ...build.artifact, ...artifactOf(place) },
    values_digest: valuesDigest,
    component_type: typeOfPart(configured.part),
  });
  if (step.params["only_if_changed"] === true && isSame(of, build.artifact.digest, valuesDigest))
    return { kind: "unchanged", detail: "what would be deployed is deployed" };
  const { plans = 1 } = runnerJobType(planned.type);
  const needed = [
    plans,
    planned.statePlans,
    ...(order.kyverno === undefined ? [] : [plansWithKyverno]),
    ...(planned.writesPullSecret && !deploy.plan_only ? [plansWithPullSecret] : []),
  ];
  const outdated = whyOutdated(env, Math.max(...needed));
  if (outdated !== undefined) return { kind: "fault", fault: outdated };
  const operation = isTeardown ? "create-teardown-plan" : "create-apply-plan";
  const job = draftDeployJob(env, draft, { step, deploy, ...planned, operation });
  Object.assign(deploy, {
    plan_job_id: job.id,
    revision: target.revision,
  });
  moveDeploy(draft, of, { status: "planning" });
  step.deadline_at = null;
  step.status_description = "";
  return { kind: "job", job };
}

/** Whether what stands well is the same, by its content and its values. */
export const isSame = ({ part }: OfDeploy, digest: string | undefined, values: string): boolean =>
  part.deployed !== undefined &&
  part.deployed.artifact.digest === digest &&
  part.deployed.values_digest === values &&
  !part.hasDrift &&
  (part.status === "active" || part.status === "noop");

const artifactOf = (place: DeployOrder["artifact"]) =>
  place && { registry: place.server, repository: place.repository };

/** Equal values give equal digests, and nobody without the key tells what they are by them. */
export const keyed = ({ seals }: KindEnvironment, digest: string): string => {
  const keyId = seals.newest();
  return keyId === null ? digest : seals.fingerprint(Buffer.from(digest, "hex"), keyId);
};

/** A retry is planned once its workspace is free: the lock of an apply whose process was lost stays until somebody has looked at what it left. */
function waitForWorkspace(id: string, held: HeldWorkspace): Parameters<typeof putOff>[2] {
  return { description: waitsForWorkspace(id, held), orElse: heldTooLong };
}

function waitsForWorkspace(id: string, held: HeldWorkspace): string {
  if ("why" in held)
    return `it waits for its workspace ${id}, which is blocked: ${held.why}. Look into it, then: svc workspace unblock ${id} --reason …`;
  const { who, job_id: jobId } = held;
  const holder = [who, ...(jobId === null ? [] : [`job ${jobId}`])].join(", ");
  return `it waits for its workspace ${id}, which is locked by ${holder}: svc workspace show ${id} says more`;
}

const heldTooLong: CompositeFault = faultOf(
  "still_in_use",
  "Its workspace was held for a day",
  "Nobody has freed the workspace within a day. Look into it, free it, then retry.",
);

/** An agent of the install's runner says that it reads older plans than these. */
export function whyOutdated(
  { facts: { runner }, deploys }: KindEnvironment,
  needed: number,
): CompositeFault | undefined {
  const reads = deploys?.readsPlans ?? null;
  if (reads === null || reads >= needed) return undefined;
  return faultOf(
    "runner_outdated",
    "The agent is older than this deploy",
    `An agent of the install's runner ${runner.id} is of a version that does not know such plans. Update it: svc runner update-version ${runner.id}. Then retry.`,
  );
}
