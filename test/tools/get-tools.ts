import { mkdir, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { buildGoTool, goCaches } from "./build-go-tool.ts";
import { getGoLibrary } from "./get-go-library.ts";
import { getNpmLibrary } from "./get-npm-library.ts";
import { holdToolsFolder } from "./hold-tools-folder.ts";
import { installDebianPackage } from "./install-debian-package.ts";
import { installPythonTool } from "./install-python-tool.ts";
import type { Tool } from "./tool-table.ts";
import { folderOf, isThere, toolsFolder } from "./tools-folder.ts";
import { unpackNpmTool } from "./unpack-npm-tool.ts";

type Asked = {
  readonly say: (line: string) => void;
  /** Leaves Go's caches, up to 17 GB, for the next time. */
  readonly keepCaches?: boolean;
};

/** Builds or fetches what is missing, says a line of each, and tells how many could not be had. */
export async function getTools(tools: readonly Tool[], asked: Asked): Promise<number> {
  if (tools.every(isThere)) return 0;
  await mkdir(toolsFolder(), { recursive: true });
  using _ = await holdToolsFolder(() => asked.say("Another run is at work here; waiting for it."));
  await removeHalfMade();
  const missing = tools.filter((tool) => !isThere(tool));
  asked.say(`Having ${missing.length} that are missing; all of them take up to 25 minutes.`);
  try {
    // Go's builds use every core they get: two at once fill the downloads of one with the work of the other.
    const [first, second] = await Promise.all([
      getInTurn(missing, asked.say),
      getInTurn(missing, asked.say),
    ]);
    return first + second;
  } finally {
    if (asked.keepCaches !== true) await rm(goCaches(), { recursive: true, force: true });
  }
}

async function getInTurn(queue: Tool[], say: (line: string) => void): Promise<number> {
  let failed = 0;
  for (let tool = queue.shift(); tool !== undefined; tool = queue.shift()) {
    const { name, version } = tool;
    const startedAt = performance.now();
    try {
      await getTool(tool);
      say(`${name} ${version}: had in ${Math.round((performance.now() - startedAt) / 1000)} s`);
    } catch (error) {
      failed += 1;
      say(`${name} ${version}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return failed;
}

/** Whole or not at all: it is made under another name. */
async function getTool(tool: Tool): Promise<void> {
  const { name, source } = tool;
  if (source.by === "path")
    throw new Error(`${source.program} is not on the PATH: ${source.advice}.`);
  if (source.by === "debian") return await installDebianPackage(source);
  const making = path.join(toolsFolder(), `${halfMade}${name}`);
  await mkdir(making, { recursive: true });
  if (source.by === "go") await buildGoTool(tool, source, making);
  else if (source.by === "go library") await getGoLibrary(tool, source, making);
  else if (source.by === "npm library") await getNpmLibrary(tool, source, making);
  else if (source.by === "npm") await unpackNpmTool(tool, source, making);
  else await installPythonTool(tool, source, making);
  await rename(making, folderOf(tool));
}

const halfMade = ".making-";

async function removeHalfMade(): Promise<void> {
  const left = (await readdir(toolsFolder())).filter((name) => name.startsWith(halfMade));
  for (const name of left) await rm(path.join(toolsFolder(), name), { recursive: true });
}
