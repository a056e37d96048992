import type { ConfigReads } from "../../shared/app-config/config-reads.ts";
import { nameKey } from "../../shared/app-config/rules/rule.ts";
import type { PartFacts } from "./deploy-facts.ts";
import { needsOf } from "./deploy-rules.ts";

type Part = Pick<PartFacts, "name" | "wanted" | "newest" | "deployed">;

/**
 * What a config reads, with what templates of its components' artifacts read: as far as their builds have ended. What would need itself
 * by that does not.
 */
export function readsWithArtifacts(reads: ConfigReads, parts: readonly Part[]): ConfigReads {
  const found = parts.map((part) => ({ part, paths: pathsOf(part) }));
  if (found.every(({ paths }) => paths.length === 0)) return reads;
  const names = namesOf(parts);
  const needs: Record<string, readonly string[]> = { ...reads.needs };
  const inputs: Record<string, readonly string[]> = { ...reads.inputs };
  for (const { part, paths } of found) {
    const { name } = part;
    const read = paths.flatMap(([, of, input = "*"]) => (of === "inputs" ? [input] : []));
    if (read.length > 0) inputs[name] = [...new Set([...(inputs[name] ?? []), ...read])];
    for (const [root, of = ""] of paths) {
      const needed = root === "components" ? names.get(nameKey(of)) : undefined;
      if (needed === undefined || needed === name) continue;
      const before = needs[name] ?? [];
      const isCircle = needsOf({ ...reads, needs }, needed).includes(name);
      if (!isCircle && !before.includes(needed)) needs[name] = [...before, needed];
    }
  }
  return { order: orderBy(reads.order, needs), needs, inputs };
}

/** Of what is deployed, and of what would be. */
function pathsOf({ newest, deployed }: Part): (readonly string[])[] {
  const all = [newest, deployed].flatMap((one) => one?.artifact.references ?? []);
  const read = all.map((path) => path.split(".").slice(0, 3));
  return [...new Map(read.map((path) => [readOf(path), path])).values()];
}

/** What of it decides an order, or which input it is about. */
const readOf = (path: readonly string[]): string =>
  path.slice(0, path[0] === "components" ? 2 : 3).join(".");

/** Components by each of their names. */
function namesOf(parts: readonly Part[]): ReadonlyMap<string, string> {
  const others = parts.flatMap(({ name, wanted }) => {
    const other =
      wanted !== undefined && "component" in wanted.part ? wanted.part.component.var_name : "";
    return other ? [[nameKey(other), name] as const] : [];
  });
  return new Map([...others, ...parts.map(({ name }) => [nameKey(name), name] as const)]);
}

/** The same order, but for those that come earlier now, as others need them. */
function orderBy(
  order: readonly string[],
  needs: Readonly<Record<string, readonly string[]>>,
): string[] {
  const placed = new Set<string>();
  const place = (name: string): void => {
    if (placed.has(name)) return;
    const before = new Set(needs[name]);
    for (const one of order) if (before.has(one)) place(one);
    placed.add(name);
  };
  for (const name of order) place(name);
  return [...placed];
}
