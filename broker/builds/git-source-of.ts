type Repo = {
  readonly repo: string;
  readonly directory?: string | undefined;
  readonly branch?: string | undefined;
};
type HasRepo = {
  readonly public_repo?: Repo | undefined;
  readonly connected_repo?: Repo | undefined;
};

/** Where a component's sources are, as plans say it; `ref` is built in place of the branch of its config where it is not empty. */
export function gitSourceOf(
  component: object,
  ref: string,
): Readonly<Record<string, string>> | undefined {
  const { public_repo, connected_repo } = component as HasRepo; // types that have neither have none
  const repo = public_repo ?? connected_repo;
  if (repo === undefined) return undefined;
  return {
    url: urlOf(repo.repo),
    ref: ref || (repo.branch ?? ""),
    path: repo.directory ?? "",
  };
}

/** `owner/name` is of GitHub; all else is a URL. */
const urlOf = (repo: string): string =>
  /^[\w.-]+\/[\w.-]+$/.test(repo) ? `https://github.com/${repo}` : repo;
