import type { ConfigTemplate } from "./read-references.ts";
import type { Warn } from "./warn-of-config.ts";

/** Warns of templates that read what `.svc` has by another name, each name once a text: they are never rendered. */
export function warnOfRoots({ path, strays, line }: ConfigTemplate, warn: Warn): void {
  const member = path.findLast((key) => typeof key === "string") ?? "";
  for (const { at, root, path: below } of strays) {
    const read = below.join(".");
    warn(
      path,
      "unknown_root",
      `${member}${line(at)}: .${root}.${read} stays as it is, since .${root} is no name of .svc; did you mean .svc.${read}?`,
    );
  }
}
