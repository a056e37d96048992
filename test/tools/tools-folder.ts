import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { findOnPath } from "./find-on-path.ts";
import type { Tool } from "./tool-table.ts";

const ours = import.meta.dirname;

/** Where the tools are kept, outside of every checkout: $SVC_TOOLS_DIR, else svc-tools in the user's cache. */
export function toolsFolder(): string {
  const { SVC_TOOLS_DIR: own, XDG_CACHE_HOME: cache } = process.env;
  if (own !== undefined && own !== "") return path.resolve(own);
  return path.join(cache || path.join(homedir(), ".cache"), "svc-tools");
}

/** The folder of one tool as it is described here and now: any change of its row or its pins is another folder. */
export function folderOf(tool: Tool): string {
  return path.join(toolsFolder(), `${tool.name}-${tool.version}-${keyOf(tool)}`);
}

/** Whether nothing is to be done for it. Its folder appears when it is whole. */
export function isThere(tool: Tool): boolean {
  if (tool.source.by === "path" || tool.source.by === "debian")
    return findOnPath(tool.source.program) !== undefined;
  return existsSync(folderOf(tool));
}

/** The folder with the pins of a tool that Go builds. */
export function goFolder(name: string): string {
  return path.join(ours, "go", name);
}

/** The folder with the pins of what npm installs. */
export function npmFolder(name: string): string {
  return path.join(ours, "npm", name);
}

/** The file with the pins of a Python tool. */
export function requirementsOf(name: string): string {
  return path.join(ours, "python", `${name}.txt`);
}

function keyOf(tool: Tool): string {
  const hash = createHash("sha256");
  hash.update(JSON.stringify([tool, process.platform, process.arch]));
  for (const file of pinsOf(tool)) if (existsSync(file)) hash.update(readFileSync(file));
  return hash.digest("hex").slice(0, 12);
}

function pinsOf({ name, source }: Tool): string[] {
  if (source.by === "go" || source.by === "go library")
    return ["go.mod", "go.sum"].map((it) => path.join(goFolder(name), it));
  if (source.by === "npm library") return [path.join(npmFolder(name), "package-lock.json")];
  return source.by === "python" ? [requirementsOf(name)] : [];
}
