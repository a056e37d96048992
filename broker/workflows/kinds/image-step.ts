import { runnerJobType } from "../../../shared/runner-job-types.ts";
import { chooseBuild, type WhichBuild } from "../../deploys/choose-build.ts";
import type { ArtifactPlace } from "../../deploys/deploy-order.ts";
import { draftDeployJob } from "../../deploys/draft-deploy-job.ts";
import { placeOfArtifact } from "../../deploys/place-of-artifact.ts";
import { pullSecretFor } from "../../deploys/pull-secret.ts";
import { stateBase } from "../../installs/state-base.ts";
import { faultOf, type StepKind, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { Step } from "../machine/workflow-rows.ts";
import { whyOutdated } from "./begin-plan.ts";
import { deployOutcome } from "./deploy-outcome.ts";
import { keepDeploy, moveDeploy, type OfDeploy } from "./keep-deploy.ts";
import type { KindEnvironment } from "./kind-environment.ts";
import { patienceMs, putOff, waitForBuild, waitForOthers } from "./put-off.ts";
import { roleFault } from "./role-fault.ts";
import { waitsForJob } from "./waits-for-job.ts";

/**
 * An image that others use by its digest. It is copied into the registry of the install where the sandbox has made one, else taken from
 * that to which it was built.
 */
export const imageStep = (env: KindEnvironment): StepKind => ({
  hasJob: true,
  readsOutputs: true,
  patienceMs: () => patienceMs,
  begin: (draft, step) => takeImage(env, draft, keepDeploy(env, draft, step)),
  look(draft, step) {
    if (step.job_id === null) return takeImage(env, draft, keepDeploy(env, draft, step));
    const job = draft.jobOf(step);
    if (job === undefined || waitsForJob(step, job)) return { kind: "wait" };
    return deployOutcome(job);
  },
  ended(draft, step) {
    if (draft.deployOf(step) === undefined) return;
    const of = keepDeploy(env, draft, step);
    const { status, status_description: description, error } = step;
    if (status === "success") {
      const isGone = isTeardown(step);
      Object.assign(of.target, { deployed_id: isGone ? null : of.deploy.id });
      of.deploy.applied_at = draft.now;
      moveDeploy(draft, of, { status: isGone ? "inactive" : "active" });
    } else {
      const isCancelled = status === "cancelled";
      if (step.job_id === null) of.deploy.apply_job_id = null; // the runner took no job
      moveDeploy(draft, of, { status: isCancelled ? "cancelled" : "error", description, error });
    }
  },
});

function takeImage(env: KindEnvironment, draft: WorkflowDraft, of: OfDeploy): StepOutcome {
  const { step, deploy, part, target } = of;
  if (isTeardown(step)) return { kind: "done" };
  const noRole = roleFault(draft);
  if (noRole !== undefined) return { kind: "fault", fault: noRole };
  const chosen = chooseBuild(part, step.params["which"] as WhichBuild); // of a type's groups
  if ("code" in chosen) return { kind: "fault", fault: chosen };
  const { build, configured } = chosen;
  Object.assign(deploy, { build_id: build.id, app_config_id: configured.configId });
  if (build.status !== "active") return putOff(draft, of, waitForBuild(build.id));
  // What stands may be a copy, whose place a sandbox named: it is taken from where it was built.
  const place = placeOfArtifact(
    { ...build.artifact, ...build.artifact.source },
    env.deploys?.registry,
  );
  if (place === undefined) return { kind: "fault", fault: noImage };
  const { facts } = env;
  const given = {
    facts: stateBase(facts),
    name: part.name,
    componentId: part.componentId ?? "",
    from: place,
  };
  const copy = env.rendered(deploy.id, "image-copy", { given, values: facts.values });
  if (copy !== null && "code" in copy) return { kind: "fault", fault: copy };
  if (copy === null) {
    const secret = pullSecretFor(env, place);
    deploy.artifact = { ...artifactAt(place), ...(secret && { pull_secret: secret.name }) };
    return { kind: "done" };
  }
  const outdated = whyOutdated(env, runnerJobType("oci-sync").plans ?? 1);
  if (outdated !== undefined) return { kind: "fault", fault: outdated };
  if (target.is_busy) return putOff(draft, of, waitForOthers);
  const source = { registry: place.server, repository: place.repository };
  deploy.artifact = { ...artifactAt({ ...place, ...copy.to }), source };
  const job = draftDeployJob(env, draft, {
    ...copy,
    step,
    deploy,
    type: "oci-sync",
    operation: "exec",
    names: [],
    timeoutNs: 0,
  });
  deploy.apply_job_id = job.id;
  moveDeploy(draft, of, { status: "applying" });
  step.deadline_at = null;
  step.status_description = "";
  return { kind: "job", job };
}

const artifactAt = ({ server: registry, repository, tag, digest }: ArtifactPlace) => ({
  registry,
  repository,
  tag,
  digest,
});

const isTeardown = ({ params }: Step): boolean => params["is_teardown"] === true;

const noImage = faultOf(
  "build_unavailable",
  "The build has no image",
  "Build it again, then retry.",
);
