/** What of one repository somebody wants to do, or may: as the distribution project's tokens say it. */
export type Access = { readonly repository: string; readonly actions: readonly string[] };

/** So many repositories may be asked for at once. */
export const mostScopes = 16;

const scope =
  /^repository(?:\([a-z]+\))?:([a-z0-9][a-z0-9._/-]{0,254}):([a-z*]+(?:,[a-z*]+){0,7})$/;

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
    const known = found.get(repository) ?? new Set();
    for (const action of actions.split(",")) known.add(action);
    found.set(repository, known);
  }
  return [...found].map(([repository, actions]) => ({ repository, actions: [...actions] }));
}
