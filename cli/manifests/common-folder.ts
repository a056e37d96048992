import path from "node:path";

/** The innermost folder that all of these are in, or are; of absolute paths. */
export function commonFolder(folders: readonly string[]): string {
  const [first = path.sep, ...others] = folders;
  let steps = first.split(path.sep);
  for (const other of others) {
    const its = other.split(path.sep);
    const differ = steps.findIndex((step, at) => its[at] !== step);
    if (differ >= 0) steps = steps.slice(0, differ);
  }
  return steps.join(path.sep) || path.sep;
}
