/** What of one repository somebody wants to do, or may: as the distribution project's tokens say it. */
export type Access = { readonly repository: string; readonly actions: readonly string[] };

/** So many repositories may be asked for at once. */
export const mostScopes = 16;

const scope = /^repository(?:\([a-z]+\))?:([a-z0-9._/-]{1,255}):([a-z*]+(?:,[a-z*]+){0,7})$/;
/** As the distribution spec has names: no part of one is `..`, which some registry may follow. */
const part = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const repositoryName = new RegExp(`^${part}(?:/${part})*$`);

/**
 * The repositories that scopes ask for (`repository:acme/app:pull,push`), each once. Several may stand in one text. What is of another form
 * opens nothing, and is left out. Undefined for more than are read.
 */
export function readScopes(texts: readonly string[]): Access[] | undefined {
  const said = texts.flatMap((text) => text.split(" ")).filter((text) => text !== "");
  if (said.length > mostScopes) return undefined;
  const found = new Map<string, Set<string>>();
  for (const text of said) {
    const [, repository, actions] = scope.exec(text) ?? [];
    if (repository === undefined || actions === undefined) continue;
    if (!repositoryName.test(repository)) continue;
    const known = found.get(repository) ?? new Set();
    for (const action of actions.split(",")) known.add(action);
    found.set(repository, known);
  }
  return [...found].map(([repository, actions]) => ({ repository, actions: [...actions] }));
}
