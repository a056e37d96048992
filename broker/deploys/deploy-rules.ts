import type { ConfigReads } from "../../shared/app-config/config-reads.ts";
import type { PartFacts } from "./deploy-facts.ts";
import { isEnabled } from "./is-enabled.ts";

/** Whether an install is to have the component: what its config has no more it is not, and some may be left out. */
export function isWanted(
  { wanted, name }: Pick<PartFacts, "wanted" | "name">,
  toggles: Readonly<Record<string, boolean>>,
): boolean {
  if (wanted === undefined || !("component" in wanted.part)) return false;
  return isEnabled({ components: [wanted.part.component] }, toggles, name) !== false;
}

/** All that a component needs, and what that needs. */
export function needsOf({ needs }: ConfigReads, name: string): string[] {
  const found = new Set<string>();
  const open = [name];
  for (let one = open.pop(); one !== undefined; one = open.pop())
    for (const next of needs[one] ?? []) {
      if (next === name || found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  return [...found].sort();
}

/** All that needs one of these, or what does, in the order of the config; without these. */
export function dependentsOf(reads: ConfigReads, names: ReadonlySet<string>): string[] {
  return reads.order.filter(
    (name) => !names.has(name) && needsOf(reads, name).some((needed) => names.has(needed)),
  );
}

const good: readonly string[] = ["active", "noop"];

/** Whether what would be deployed of it is another than what is, or what is does not stand well. */
export function isChanged(part: PartFacts): boolean {
  const { wanted, newest, deployed, deployedPart, status, hasDrift } = part;
  if (deployed === undefined || hasDrift || !good.includes(status)) return true;
  if (wanted?.checksum !== deployedPart?.checksum || newest === undefined) return true;
  if (newest.id === deployed.build_id) return false;
  return newest.status !== "active" || newest.artifact.digest !== deployed.artifact.digest;
}
