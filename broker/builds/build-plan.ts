import { canonicalJson, checksumOf } from "../../shared/app-config/canonical-json.ts";
import type { Json } from "../../shared/app-config/templates/json-value.ts";
import type { Brands } from "../../shared/brands.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { RegistryConfig } from "../registry/registry-settings.ts";
import type { BuildRow, CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { FormerBuild } from "./build-facts.ts";
import { secretsOfBuild } from "./build-secrets.ts";
import { buildSourceOf } from "./build-source-of.ts";
import type { BuiltArtifact } from "./built-artifact.ts";
import type { ComponentPart, SandboxPart } from "./component-part.ts";
import { imageSourceOf } from "./image-source-of.ts";
import { noRepository } from "./no-repository.ts";
import { renderBuild } from "./render-build.ts";

type OfType<Type extends ComponentPart["type"]> = Extract<ComponentPart, { type: Type }>;
type Members = Readonly<Record<string, unknown>>;

/** What a build of a component is: the type of its job, and that job's plan. */
export type BuildJob = {
  readonly type: RunnerJobType;
  readonly plan: Members;
  /** Of all of the plan but which build it is. */
  readonly checksum: string;
  /** Secrets of the app whose values the plan gets, where its job is made. */
  readonly secrets: readonly string[];
};

/** What a plan is made of. */
export type BuildPlanning = {
  readonly org: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly name: string };
  readonly part: { readonly component: ComponentPart } | { readonly sandbox: SandboxPart };
  readonly build: Pick<BuildRow, "id" | "component_id" | "git_ref" | "is_forced">;
  readonly registry: RegistryConfig;
  readonly labels: Readonly<Record<string, string>>;
  /** The app's secrets, without their values. */
  readonly secrets: readonly { readonly name: string }[];
  /** With which its config was read. */
  readonly brands: Brands;
  /** The newest build of the same, if any. */
  readonly former: FormerBuild | undefined;
};

/** What a type of component has besides: members that templates may be in, and those that stay as they are. */
type Made = {
  readonly type: RunnerJobType;
  readonly rendered: Members;
  readonly member?: string;
  readonly asIs?: Members;
};
type Make = Made | CompositeFault;
type Of<Type extends ComponentPart["type"]> = Pick<BuildPlanning, "labels" | "former"> & {
  readonly component: OfType<Type>;
};

/** The plan of a build, or why there is none. Only what is known of org and app can be in it: an artifact is of all installs. */
export function planBuild(planning: BuildPlanning): BuildJob | CompositeFault {
  const { build, registry, brands } = planning;
  const made = makeOf(planning);
  if ("code" in made) return made;
  const secrets = secretsOfBuild(planning, placeOf(planning).words);
  if ("code" in secrets) return secrets;
  const source = sourceOf(planning);
  if (source === "missing") return noRepository(placeOf(planning).words);
  if (isFault(source)) return source;
  const rendered = renderBuild(planning, placeOf(planning), {
    own: made.rendered,
    source: source.git,
  });
  if ("code" in rendered) return rendered;
  const { own, source: git_source } = rendered.value as { own: Members; source: Json };
  const { type, member, asIs } = made;
  const what = {
    ...(git_source !== null && { git_source }),
    ...(source.own !== undefined && { source: source.own }),
    ...(member !== undefined && { [member]: { ...own, ...asIs } }),
    dst_registry: destinationOf(planning),
    ...(brands.length > 0 && { brands }),
  };
  const checksum = checksumOf(canonicalJson({ type, ...what }));
  const hasSource = git_source !== null || source.own !== undefined;
  const previous = hasSource ? previousOf(planning, checksum) : undefined;
  return {
    type,
    checksum,
    secrets,
    plan: {
      ...(build.component_id !== null && { component_id: build.component_id }),
      component_build_id: build.id,
      ...what,
      dst_tag: build.id,
      ...(previous && { previous }),
    },
  };

  function destinationOf({ org, app }: BuildPlanning): Members {
    const repository = [registry.prefix, org.id, app.id, build.component_id ?? "sandbox"];
    return {
      registryType: "private_oci",
      loginServer: registry.server,
      repository: repository.filter(Boolean).join("/"),
      ...(registry.isPlain && { plain_http: true }),
    };
  }
}

/** What was built last by the same plan: where its commit is still the newest, there is nothing to build. */
function previousOf({ former, build }: BuildPlanning, checksum: string): Members | undefined {
  if (former === undefined || build.is_forced || former.plan_checksum !== checksum)
    return undefined;
  const { digest, media_type, size, source_ref, source_checksum, builder } = former;
  if (source_ref === "" || builder === "") return undefined;
  return { digest, media_type, size, source_ref, source_checksum, builder };
}

/** Which file of the config says it, and what a person calls it. */
function placeOf({ part }: BuildPlanning): { readonly file: string; readonly words: string } {
  if ("sandbox" in part) return { file: "sandbox", words: "The sandbox" };
  const { name } = part.component;
  return { file: `components/${name}`, words: `The component ${name}` };
}

/** The repository with its tag that a build's artifact is pushed to, and by which plan. */
export function artifactPlaceOf({ plan, checksum }: BuildJob): BuiltArtifact {
  const { loginServer, repository } = plan["dst_registry"] as Members; // as it was made
  return {
    repository: `${String(loginServer)}/${String(repository)}`,
    tag: String(plan["dst_tag"]),
    plan_checksum: checksum,
  };
}

function makeOf({ part, ...planning }: BuildPlanning): Make {
  if ("sandbox" in part) return sandboxBuild(part.sandbox);
  const make = makers[part.component.type] as (of: Of<ComponentPart["type"]>) => Make; // for what it is given
  const former = planning.build.is_forced ? undefined : planning.former;
  return make({ ...planning, former, component: part.component });
}

function sandboxBuild({ type, terraform_version }: SandboxPart): Made {
  if (type === "pulumi")
    return { type: "pulumi-build", member: "pulumi_build_plan", rendered: { labels: {} } };
  return {
    type: "sandbox-build",
    member: "terraform_build_plan",
    rendered: { labels: {}, ...defined({ terraform_version }) },
  };
}

/** How each type of component is built. */
const makers = {
  terraform_module: ({ component: { terraform_version }, labels }: Of<"terraform_module">) => ({
    type: "terraform-module-build",
    member: "terraform_build_plan",
    rendered: { labels, ...defined({ terraform_version }) },
  }),
  helm_chart: helmBuild,
  kubernetes_manifest: manifestBuild,
  docker_build: dockerBuild,
  container_image: imageBuild,
  external_image: imageBuild,
  pulumi: ({ labels }: Of<"pulumi">) => ({
    type: "pulumi-build",
    member: "pulumi_build_plan",
    rendered: { labels },
  }),
  job: () => ({ type: "noop-build", rendered: {} }),
} as const satisfies { readonly [Type in ComponentPart["type"]]: (planning: never) => Make };

function helmBuild({ component, labels }: Of<"helm_chart">): Made {
  const { helm_repo: repo, values = {}, values_file: files = [] } = component;
  return {
    type: "helm-chart-build",
    member: "helm_build_plan",
    rendered: {
      labels,
      ...(repo && {
        helmRepoConfig: defined({
          repoURL: repo.repo_url,
          chart: repo.chart,
          version: repo.version,
        }),
      }),
    },
    asIs: {
      values: Object.entries(values).map(([name, value]) => ({
        name,
        value: typeof value === "string" ? value : JSON.stringify(value),
      })),
      values_files: files.map(({ contents }) => contents),
    },
  };
}

function manifestBuild({ component, labels }: Of<"kubernetes_manifest">): Made {
  const { kustomize, manifest = "" } = component;
  const member = "kubernetes_manifest_build_plan";
  const type = "kubernetes-manifest-build";
  if (kustomize === undefined)
    return {
      type,
      member,
      rendered: { labels, source_type: "inline" },
      asIs: { inline_manifest: manifest },
    };
  const { path, enable_helm, load_restrictor, patches } = kustomize;
  return {
    type,
    member,
    rendered: {
      labels,
      source_type: "kustomize",
      kustomize_path: path,
      kustomize_config: defined({ enable_helm, load_restrictor, patches }),
    },
  };
}

function dockerBuild({ component }: Of<"docker_build">): Made {
  const { dockerfile, target, build_args } = component;
  return {
    type: "docker-build",
    member: "docker_build_plan",
    rendered: defined({ dockerfile, target, build_args }),
  };
}

function imageBuild({ component, former }: Of<"container_image" | "external_image">): Make {
  const found = imageSourceOf(component);
  if (isFault(found)) return found;
  return {
    type: "container-image-build",
    member: "container_image_pull_plan",
    rendered: found,
    asIs: former?.source_digest ? { previous_source_digest: former.source_digest } : {},
  };
}

const sourceOf = (planning: BuildPlanning): ReturnType<typeof buildSourceOf> =>
  buildSourceOf(planning.part, planning.build.git_ref, placeOf(planning).words);

const isFault = (found: object): found is CompositeFault => "code" in found;

const defined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
