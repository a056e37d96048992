import path from "node:path";

/** Links of an archive, by their names within it, and where each leads. */
export type ArchiveLinks = ReadonlyMap<string, string>;

const mostSteps = 1000;

/**
 * Whether a link stays within the archive, whatever other links it passes: as the kernel would go, step by step, with
 * a folder that is really there, or not there, at each.
 */
export function staysWithin(links: ArchiveLinks, name: string): boolean {
  const waiting = stepsOf(links.get(name) ?? "");
  if (waiting === undefined) return false;
  const at = path.posix.dirname(name).split("/").filter(isName);
  for (let step = 0; waiting.length > 0; step += 1) {
    if (step > mostSteps) return false; // they lead in a circle
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

/** Nothing for what begins at the host's root. */
function stepsOf(target: string): string[] | undefined {
  if (target === "" || target.startsWith("/") || target.includes("\0")) return undefined;
  return target.split("/").filter(isName);
}

const isName = (part: string): boolean => part !== "" && part !== ".";
