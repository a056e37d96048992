import { RegistryFault } from "./registry-fault.ts";
import { compareVersions, parseVersion, parseVersionRange, type Version } from "./version-range.ts";

/** Whether an update policy can be understood: `newest`, or a range of versions. */
export const isPolicy = (policy: string): boolean =>
  policy === "newest" || parseVersionRange(policy) !== undefined;

/**
 * The tag with the highest version that a policy means; `newest` means every version that is released. Throws
 * RegistryFault when there is none.
 */
export function chooseTag(tags: readonly string[], policy: string): string {
  const isMeant = parseVersionRange(policy === "newest" ? "*" : policy);
  let best: { readonly tag: string; readonly version: Version } | undefined;
  for (const tag of tags) {
    const version = parseVersion(tag);
    if (version === undefined || isMeant?.(version) !== true) continue;
    const order = best === undefined ? 1 : compareVersions(version, best.version);
    // Of 1.2 and 1.2.0 the longer name is the one that stays.
    const isLonger = order === 0 && best !== undefined && tag.length > best.tag.length;
    if (order > 0 || isLonger) best = { tag, version };
  }
  if (best !== undefined) return best.tag;
  throw new RegistryFault(
    "not_found",
    `none of its ${tags.length} tags is a version that the update policy ${policy} means`,
  );
}
