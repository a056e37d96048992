import { z } from "zod";
import { containerImagePullPlan } from "./container-image-pull-plan.ts";
import { dockerBuildPlan } from "./docker-build-plan.ts";
import { helmBuildPlan } from "./helm-build-plan.ts";
import { kubernetesManifestBuildPlan } from "./kubernetes-manifest-build-plan.ts";
import { gitSource, sandboxMode, source, text, texts } from "./plan-members.ts";
import { previousBuild } from "./previous-build.ts";
import { pulumiBuildPlan } from "./pulumi-build-plan.ts";
import { registry } from "./registry-member.ts";
import { terraformBuildPlan } from "./terraform-build-plan.ts";

/** A build of a component: from a repository to a registry. Each kind of build has a member of its own. */
export const buildPlan = z.looseObject({
  component_id: text,
  component_build_id: text,
  git_source: gitSource,
  dst_registry: registry,
  dst_tag: text,
  container_image_pull_plan: containerImagePullPlan.nullish(),
  docker_build_plan: dockerBuildPlan.nullish(),
  helm_build_plan: helmBuildPlan.nullish(),
  kubernetes_manifest_build_plan: kubernetesManifestBuildPlan.nullish(),
  pulumi_build_plan: pulumiBuildPlan.nullish(),
  terraform_build_plan: terraformBuildPlan.nullish(),
  sandbox_mode: sandboxMode,
  // What follows is ours.
  source,
  previous: previousBuild.nullish(),
  /** Other names of svc in templates. */
  brands: texts,
  /** Nanoseconds. */
  timeout: z.number().nullish(),
});
