import path from "node:path";

/** The links of an archive: names and targets. */
export type ArchiveLinks = ReadonlyMap<string, string>;

const mostSteps = 1000;

/**
 * Whether a link stays within the archive, also through other links: resolved step by step as the kernel does, whether
 * or not the folders on the way exist.
 */
export function staysWithin(links: ArchiveLinks, name: string): boolean {
  const waiting = stepsOf(links.get(name) ?? "");
  if (waiting === undefined) return false;
  const at = path.posix.dirname(name).split("/").filter(isName);
  for (let step = 0; waiting.length > 0; step += 1) {
    if (step > mostSteps) return false; // the links form a loop
    const next = waiting.shift() ?? "";
    if (next === "..") {
      if (at.pop() === undefined) return false;
      continue;
    }
    const target = links.get([...at, next].join("/"));
    if (target === undefined) {
      at.push(next);
      continue;
    }
    const onward = stepsOf(target);
    if (onward === undefined) return false;
    waiting.unshift(...onward);
  }
  return true;
}

/** Undefined for an absolute path. */
function stepsOf(target: string): string[] | undefined {
  if (target === "" || target.startsWith("/") || target.includes("\0")) return undefined;
  return target.split("/").filter(isName);
}

const isName = (part: string): boolean => part !== "" && part !== ".";
