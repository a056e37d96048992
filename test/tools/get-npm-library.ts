import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { runStep } from "./run-step.ts";
import type { NpmLibrary, Tool } from "./tool-table.ts";
import { npmFolder } from "./tools-folder.ts";

/** Installs what a lock file pins, and writes npm as a program that installs it again without a network. */
export async function getNpmLibrary(tool: Tool, source: NpmLibrary, into: string): Promise<void> {
  const cwd = path.join(into, "module");
  await mkdir(cwd);
  for (const file of ["package.json", "package-lock.json"])
    await copyFile(path.join(npmFolder(tool.name), file), path.join(cwd, file));
  await runStep({
    program: "npm",
    advice: "install npm",
    args: ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--install-links"],
    cwd,
    env: { npm_config_cache: path.join(into, "cache") },
  });
  const script = `#!/bin/sh
here=$(dirname "$0")
npm_config_cache="$here/cache" npm_config_offline=true exec "\${SVC_NPM:-npm}" "$@"
`;
  await writeFile(path.join(into, source.program), script, { mode: 0o755 });
}
