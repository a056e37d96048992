import { chooseBuild, type WhichBuild } from "../../deploys/choose-build.ts";
import { placeOfArtifact } from "../../deploys/place-of-artifact.ts";
import { faultOf, type StepKind, type StepOutcome } from "../machine/step-kind.ts";
import type { WorkflowDraft } from "../machine/workflow-draft.ts";
import type { Step } from "../machine/workflow-rows.ts";
import { keepDeploy, moveDeploy, type OfDeploy } from "./keep-deploy.ts";
import type { KindEnvironment } from "./kind-environment.ts";

const dayMs = 24 * 3_600_000;

/** An image that others use by its digest: it is taken from the registry to which it was built. */
export const imageStep = (env: KindEnvironment): StepKind => ({
  readsOutputs: true,
  patienceMs: () => dayMs,
  begin: (draft, step) => takeImage(env, draft, keepDeploy(env, draft, step)),
  look: (draft, step) => takeImage(env, draft, keepDeploy(env, draft, step)),
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
      moveDeploy(draft, of, { status: isCancelled ? "cancelled" : "error", description, error });
    }
  },
});

function takeImage(env: KindEnvironment, draft: WorkflowDraft, of: OfDeploy): StepOutcome {
  const { step, deploy, part } = of;
  if (isTeardown(step)) return { kind: "done" };
  const chosen = chooseBuild(part, step.params["which"] as WhichBuild); // of a type's groups
  if ("code" in chosen) return { kind: "fault", fault: chosen };
  const { build, configured } = chosen;
  Object.assign(deploy, { build_id: build.id, app_config_id: configured.configId });
  if (build.status !== "active") {
    const description = `it waits for the build ${build.id}`;
    step.status_description = description;
    if (deploy.status !== "queued") moveDeploy(draft, of, { status: "queued", description });
    return { kind: "wait", orElse: tooLong };
  }
  const place = placeOfArtifact(build.artifact, env.deploys?.registry);
  if (place === undefined) return { kind: "fault", fault: noImage };
  const { server: registry, repository, tag, digest } = place;
  deploy.artifact = { registry, repository, tag, digest };
  return { kind: "done" };
}

const isTeardown = ({ params }: Step): boolean => params["is_teardown"] === true;

const noImage = faultOf(
  "build_unavailable",
  "The build has no image",
  "Build it again, then retry.",
);
const tooLong = faultOf(
  "build_unavailable",
  "It waited for a day",
  "Its build did not end within a day. Look at that, then retry.",
);
