import { chooseBuild, type WhichBuild } from "../../deploys/choose-build.ts";
import type { StepKind } from "../machine/step-kind.ts";
import { isSame, keyed, orderOf } from "./begin-plan.ts";
import { draftOfDeploy, partOf } from "./keep-deploy.ts";
import type { KindEnvironment } from "./kind-environment.ts";

/** Looks, before the actions that come before a deploy, whether anything would be another: else its group is passed over. What cannot be told yet is left to the plan. */
export const checkStep = (env: KindEnvironment): StepKind => ({
  readsOutputs: true,
  begin(draft, step) {
    const part = partOf(env, step);
    const chosen = chooseBuild(part, step.params["which"] as WhichBuild); // of a type's groups
    if ("code" in chosen || chosen.build.status !== "active") return { kind: "done" };
    const of = draftOfDeploy(env, draft, step);
    const order = orderOf(env, of, chosen);
    const { values } = env.facts;
    const planned = env.rendered(of.deploy.id, "deploy", { given: order, values });
    if ("code" in planned) return { kind: "done" };
    const digest = keyed(env, planned.valuesDigest);
    return isSame(of, chosen.build.artifact.digest, digest)
      ? { kind: "unchanged", detail: "what would be deployed is deployed" }
      : { kind: "done" };
  },
  look: () => ({ kind: "done" }),
});
