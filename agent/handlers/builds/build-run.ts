import { z } from "zod";
import { firstFault } from "../../../shared/issue-words.ts";
import { dockerBuildPlan } from "../../../shared/plans/docker-build-plan.ts";
import { previousBuild } from "../../../shared/plans/previous-build.ts";
import { registry } from "../../../shared/plans/registry-member.ts";
import type { JobInfo, Plan } from "../../jobs/handler.ts";
import { invalidPlan } from "../../jobs/job-failure.ts";
import type { Reference } from "../../registry/reference.ts";
import type { RegistryIdentity } from "../../registry/registry-identity.ts";
import { placeReference, readRegistryPlace } from "../../registry/registry-place.ts";
import { readSource } from "../../sources/read-source.ts";
import type { Source } from "../../sources/source.ts";
import { builderKinds, type BuilderName } from "./builder-kinds.ts";

const text = z.string().nullish();
const texts = z.array(z.string()).nullish();
const flag = z.boolean().nullish();
const labels = z.record(z.string(), z.string()).nullish();

const terraformBuild = z.looseObject({
  terraform_version: text,
  vendor_providers: flag,
  tool: z.enum(["terraform", "opentofu"]).nullish(),
  labels,
});
const helmBuild = z.looseObject({
  helmRepoConfig: z.looseObject({ chart: text, repoURL: text, version: text }).nullish(),
  values: z.array(z.looseObject({ name: text, value: text, type: text })).nullish(),
  values_files: texts,
  labels,
});
const manifestBuild = z.looseObject({
  source_type: z.enum(["inline", "kustomize", ""]).nullish(),
  inline_manifest: text,
  kustomize_path: text,
  kustomize_config: z
    .looseObject({
      enable_helm: flag,
      load_restrictor: z.enum(["none", "rootOnly", ""]).nullish(),
      patches: texts,
    })
    .nullish(),
  labels,
});
const members = z.looseObject({
  component_id: text,
  component_build_id: text,
  dst_registry: registry,
  dst_tag: text,
  terraform_build_plan: terraformBuild.nullish(),
  helm_build_plan: helmBuild.nullish(),
  kubernetes_manifest_build_plan: manifestBuild.nullish(),
  docker_build_plan: dockerBuildPlan.nullish(),
  pulumi_build_plan: z.looseObject({ labels }).nullish(),
  previous: previousBuild.nullish(),
  brands: texts,
  timeout: z.number().nullish(),
});
export type BuildMembers = z.infer<typeof members>;
export type ManifestBuild = z.infer<typeof manifestBuild>;

/** A validated build of an artifact. */
export type BuildRun = {
  readonly builder: BuilderName;
  readonly source: Source | undefined;
  /** The repository that gets the artifact, and who signs in there. */
  readonly target: Reference & { readonly identity: RegistryIdentity };
  readonly tag: string;
  readonly plan: BuildMembers;
  readonly brands: readonly string[];
  readonly timeoutMs: number | undefined;
};

/** Reads the plan of a build. Throws a JobFailure that names the member that is wrong. */
export function readBuildRun(given: Plan, { type }: JobInfo): BuildRun {
  const { data, error } = members.safeParse(given);
  if (data === undefined) throw invalidPlan(firstFault(error));
  const builder = builderKinds[type];
  if (builder === undefined) throw invalidPlan(`jobs of type ${type} build no artifact`);
  if (type === "sandbox-build" && data.pulumi_build_plan != null) {
    throw invalidPlan(
      "a sandbox of pulumi is built by jobs of type pulumi-build, not sandbox-build",
    );
  }
  const tag = data.dst_tag ?? "";
  if (!/^\w[\w.-]{0,127}$/.test(tag)) {
    throw invalidPlan("dst_tag is not a tag: use up to 128 letters, digits, _, . and -");
  }
  const place = readRegistryPlace(data.dst_registry, "dst_registry", { tag });
  if (place === undefined) {
    throw invalidPlan("dst_registry is missing: set its loginServer and repository");
  }
  const isGiven = isWithoutSource(builder, data);
  const source = isGiven ? undefined : readSource(given);
  if (!isGiven && source === undefined) {
    throw invalidPlan(`the source is missing: set git_source${insteadOfSource[builder]}`);
  }
  return {
    builder,
    source,
    target: { ...placeReference(place, "dst_registry"), identity: place.identity },
    tag,
    plan: data,
    brands: data.brands ?? [],
    timeoutMs: data.timeout == null || data.timeout <= 0 ? undefined : data.timeout / 1e6,
  };
}

const insteadOfSource: Readonly<Record<BuilderName, string>> = {
  module: " or source",
  image: " or source",
  chart: ", source or helm_build_plan.helmRepoConfig",
  program: " or source",
  manifest: " or source, or kubernetes_manifest_build_plan.inline_manifest",
};

function isWithoutSource(builder: BuilderName, plan: BuildMembers): boolean {
  if (builder === "chart") return Boolean(plan.helm_build_plan?.helmRepoConfig?.chart);
  if (builder !== "manifest") return false;
  const { source_type, inline_manifest } = plan.kubernetes_manifest_build_plan ?? {};
  const isInline = source_type ? source_type === "inline" : Boolean(inline_manifest?.trim());
  if (isInline && !inline_manifest?.trim()) {
    throw invalidPlan("kubernetes_manifest_build_plan.inline_manifest is missing: the manifest");
  }
  return isInline;
}
