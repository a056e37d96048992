import { findReferences } from "../../shared/app-config/templates/find-references.ts";
import type { Json } from "../../shared/app-config/templates/json-value.ts";
import { renderValue } from "../../shared/app-config/templates/render-template.ts";
import { quickBudget, RenderWork } from "../../shared/app-config/templates/render-work.ts";
import { type Brands, rootsOf } from "../../shared/brands.ts";
import type { RunnerJobType } from "../../shared/runner-job-types.ts";
import type { RegistryConfig } from "../registry/registry-settings.ts";
import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { ComponentPart } from "./component-part.ts";
import { gitSourceOf } from "./git-source-of.ts";
import { imageSourceOf } from "./image-source-of.ts";

type OfType<Type extends ComponentPart["type"]> = Extract<ComponentPart, { type: Type }>;
type Members = Readonly<Record<string, unknown>>;

/** What a build of a component is: the type of its job, and that job's plan. */
export type BuildJob = { readonly type: RunnerJobType; readonly plan: Members };

/** What a plan is made of. */
export type BuildPlanning = {
  readonly org: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly name: string };
  readonly component: ComponentPart;
  readonly build: {
    readonly id: string;
    readonly component_id: string;
    readonly git_ref: string;
  };
  readonly registry: RegistryConfig;
  readonly labels: Readonly<Record<string, string>>;
  /** With which its config was read. */
  readonly brands: Brands;
  /** The digest of the image that the newest build found, if any. */
  readonly formerSource: string;
};

/** What a type of component has besides: members that templates may be in, and those that stay as they are. */
type Made = {
  readonly type: RunnerJobType;
  readonly rendered: Members;
  readonly member?: string;
  readonly asIs?: Members;
};
type Make = Made | CompositeFault;
type Of<Type extends ComponentPart["type"]> = Pick<BuildPlanning, "labels" | "formerSource"> & {
  readonly component: OfType<Type>;
};

/** The plan of a build, or why there is none. Only what is known of org and app can be in it: an artifact is of all installs. */
export function planBuild(planning: BuildPlanning): BuildJob | CompositeFault {
  const { component, build, registry, brands } = planning;
  const make = makers[component.type] as (planning: BuildPlanning) => Make; // for what it is given
  const made = make(planning);
  if ("code" in made) return made;
  const source = sourceOf(component, build.git_ref);
  if (source === "missing") return noRepository(component.name);
  const rendered = render(planning, { own: made.rendered, source });
  if ("code" in rendered) return rendered;
  const { own, source: git_source } = rendered.value as { own: Members; source: Json };
  return {
    type: made.type,
    plan: {
      component_id: build.component_id,
      component_build_id: build.id,
      ...(git_source !== null && { git_source }),
      ...(made.member !== undefined && { [made.member]: { ...own, ...made.asIs } }),
      dst_registry: destinationOf(planning),
      dst_tag: build.id,
      ...(brands.length > 0 && { brands }),
    },
  };

  function destinationOf({ org, app }: BuildPlanning): Members {
    const repository = [registry.prefix, org.id, app.id, build.component_id].filter(Boolean);
    return {
      registryType: "private_oci",
      loginServer: registry.server,
      repository: repository.join("/"),
      ...(registry.isPlain && { plain_http: true }),
    };
  }
}

/** The repository with its tag that a build's artifact is pushed to. */
export function artifactPlaceOf({ plan }: BuildJob): { repository: string; tag: string } {
  const { loginServer, repository } = plan["dst_registry"] as Members; // as it was made
  return {
    repository: `${String(loginServer)}/${String(repository)}`,
    tag: String(plan["dst_tag"]),
  };
}

/** How each type is built. */
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

function imageBuild({ component, formerSource }: Of<"container_image" | "external_image">): Make {
  const found = imageSourceOf(component);
  if (isFault(found)) return found;
  return {
    type: "container-image-build",
    member: "container_image_pull_plan",
    rendered: found,
    asIs: formerSource === "" ? {} : { previous_source_digest: formerSource },
  };
}

/** Where the sources are: null for what needs none. */
function sourceOf(component: ComponentPart, ref: string): Members | null | "missing" {
  if (component.type === "job" || isImage(component)) return null;
  if (component.type === "kubernetes_manifest" && component.kustomize === undefined) return null;
  const found = gitSourceOf(component, ref);
  if (found !== undefined) return found;
  return component.type === "helm_chart" && component.helm_repo !== undefined ? null : "missing";
}

const isImage = ({ type }: ComponentPart): boolean =>
  type === "container_image" || type === "external_image";
const isFault = (found: object): found is CompositeFault => "code" in found;

const noRepository = (name: string): CompositeFault =>
  faultOf(
    "repo_unsupported",
    "There is nothing to build from",
    `The component ${name} names no repository. Give it a public_repo or a connected_repo, and sync the app again.`,
    { retryable: false },
  );

/** With what is known before there is an install. */
function render(
  { org, app, component, brands }: BuildPlanning,
  given: { readonly own: Members; readonly source: Members | null },
): { readonly value: Json } | CompositeFault {
  const svc = { org: { id: org.id, name: org.name }, app: { id: app.id, name: app.name } };
  const place = { file: `components/${component.name}`, member: "" };
  const foreign = textsIn(given).flatMap((text) => foreignIn(text, brands))[0];
  if (foreign !== undefined)
    return faultOf(
      "missing_value",
      "The component cannot be built as its config says",
      `The component ${component.name} is built with .svc.${foreign}, which is of an install. What a build uses can refer to the org and the app only.`,
      { retryable: false },
    );
  const work = new RenderWork(quickBudget);
  const state = Object.fromEntries(rootsOf(brands).map((root) => [root, svc]));
  const { value, faults } = renderValue(given as unknown as Json, state, place, { work });
  if (value !== undefined) return { value };
  const [first] = faults;
  const detail = `${first?.member ?? ""} line ${first?.line ?? 1}: ${first?.detail ?? "it takes too much"}`;
  return faultOf(
    first?.code ?? "render_failed",
    "The component cannot be built as its config says",
    `${detail} (component ${component.name}). What a build uses can refer to the org and the app only.`,
    { retryable: false },
  );
}

/** What a text reads that no org and no app has, also where it would do without. */
const foreignIn = (text: string, brands: Brands): string[] =>
  findReferences(text, brands)
    .references.map(({ path }) => path.join("."))
    .filter((path) => !/^(?:org|app)(?:\.(?:id|name))?$/.test(path));

const textsIn = (value: unknown): string[] => {
  if (typeof value === "string") return value.includes("{{") ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const defined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
