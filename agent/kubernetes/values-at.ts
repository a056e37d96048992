/**
 * The values at a simple JSONPath: `{.status.loadBalancer.ingress[0].hostname}`, `.spec.ports[*].port`,
 * `$.metadata.labels['app.kubernetes.io/name']`. Empty when nothing is there.
 */
export function valuesAt(object: unknown, path: string): unknown[] {
  const bare = path
    .trim()
    .replace(/^\{(.*)\}$/s, "$1")
    .replace(/^\$/, "");
  const steps = [...bare.matchAll(/\.([\w-]+)|\[(\d+|\*)\]|\['([^']*)'\]/g)];
  let found: unknown[] = [object];
  for (const [, member, index, quoted] of steps) {
    found = found.flatMap((value) => stepInto(value, member ?? quoted, index));
  }
  return found;
}

function stepInto(
  value: unknown,
  member: string | undefined,
  index: string | undefined,
): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (index === "*") return Object.values(value);
  const name = index ?? member ?? "";
  if (index !== undefined && !Array.isArray(value)) return [];
  if (!Object.hasOwn(value, name)) return [];
  return [(value as Readonly<Record<string, unknown>>)[name]]; // it has that member
}
