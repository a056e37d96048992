import { faultOf } from "../workflows/machine/step-kind.ts";
import type { CompositeFault } from "../workflows/machine/workflow-rows.ts";
import type { ComponentPart, SandboxPart } from "./component-part.ts";

type Members = Readonly<Record<string, unknown>>;
type Repo = {
  readonly repo: string;
  readonly directory?: string | undefined;
  readonly branch?: string | undefined;
};
/** Types that have no sources have none of these. */
type HasSource = {
  readonly public_repo?: Repo | undefined;
  readonly connected_repo?: Repo | undefined;
  readonly directory?: string | undefined;
  readonly source_digest?: string | undefined;
};

/** What a build is made from: a repository, whose members may have templates; a folder of the config's own; or nothing. */
export type BuildSource = { readonly git: Members | null; readonly own?: Members };

const nothing: BuildSource = { git: null };

/**
 * What a component or the sandbox is built from, as plans say it. `ref` is built in place of the branch of its config where it is
 * not empty. `words` are how a person calls it.
 */
export function buildSourceOf(
  part: { readonly component: ComponentPart } | { readonly sandbox: SandboxPart },
  ref: string,
  words: string,
): BuildSource | CompositeFault | "missing" {
  if ("sandbox" in part) return sourceIn(part.sandbox, ref, words);
  const { component } = part;
  if (component.type === "job" || isImage(component)) return nothing;
  if (component.type === "kubernetes_manifest" && component.kustomize === undefined) return nothing;
  if (component.type === "helm_chart" && component.helm_repo !== undefined) return nothing;
  return sourceIn(component, ref, words);
}

function sourceIn(
  given: object,
  ref: string,
  words: string,
): BuildSource | CompositeFault | "missing" {
  const { public_repo, connected_repo, source_digest: digest } = given as HasSource;
  const repo = public_repo ?? connected_repo;
  if (repo !== undefined)
    return {
      git: { url: urlOf(repo.repo), ref: ref || (repo.branch ?? ""), path: repo.directory ?? "" },
    };
  if (digest === undefined) return "missing";
  return ref === "" ? { git: null, own: { archive: { blob: digest } } } : noBranches(words);
}

/** `owner/name` is of GitHub; all else is a URL. */
const urlOf = (repo: string): string =>
  /^[\w.-]+\/[\w.-]+$/.test(repo) ? `https://github.com/${repo}` : repo;

const isImage = ({ type }: ComponentPart): boolean =>
  type === "container_image" || type === "external_image";

const noBranches = (what: string): CompositeFault =>
  faultOf(
    "repo_unsupported",
    "There are no branches to build from",
    `${what} is in the config's own folder, which has no branches and commits. Build it without a ref.`,
    { retryable: false },
  );
