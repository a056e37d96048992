import type { ConfigEntries } from "./config-entries.ts";
import { type ConfigFault, configLimits, type FoundFault } from "./config-fault.ts";

/**
 * Faults in the order of files and places, each once, and how many there are. Places are read a file at a time, of no more
 * files than it takes to tell 500.
 */
export function placeFaults(
  { entries }: Pick<ConfigEntries, "entries">,
  found: readonly FoundFault[],
): { readonly told: ConfigFault[]; readonly count: number } {
  const byFile = new Map<string, Map<string, FoundFault>>();
  for (const fault of found) {
    const { file, code, pointer, detail } = fault;
    const ofFile = byFile.get(file) ?? new Map<string, FoundFault>();
    byFile.set(file, ofFile);
    ofFile.set(`${code} ${pointer} ${detail}`, fault);
  }
  const told: ConfigFault[] = [];
  let count = 0;
  for (const file of [...byFile.keys()].sort()) {
    const ofFile = [...(byFile.get(file)?.values() ?? [])];
    count += ofFile.length;
    if (told.length >= configLimits.faults) continue;
    const placeOf = entries.get(file)?.openPlaces?.();
    const placed = ofFile.map(({ within, ...fault }): ConfigFault =>
      within === undefined || placeOf === undefined ? fault : { ...fault, ...placeOf(within) },
    );
    told.push(...placed.sort(byPlace));
  }
  return { told: told.slice(0, configLimits.faults), count };
}

const byPlace = (a: ConfigFault, b: ConfigFault): number =>
  (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
