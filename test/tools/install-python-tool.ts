import { writeFile } from "node:fs/promises";
import path from "node:path";
import { runStep } from "./run-step.ts";
import type { PythonPackage, Tool } from "./tool-table.ts";
import { requirementsOf } from "./tools-folder.ts";

/** Installs a Python tool into a folder that may be moved, from packages whose digests are pinned. */
export async function installPythonTool(
  tool: Tool,
  { program, module }: PythonPackage,
  into: string,
): Promise<void> {
  const flags = ["--quiet", "--no-cache-dir", "--only-binary", ":all:", "--no-deps"];
  flags.push("--require-hashes", "--requirement", requirementsOf(tool.name));
  await runStep({
    program: "python3",
    advice: "install Python 3.11 or newer, with pip",
    args: ["-m", "pip", "install", ...flags, "--target", path.join(into, "packages")],
    cwd: into,
  });
  const run = module === undefined ? "" : `-m ${module} `;
  const script = `#!/bin/sh
here=$(dirname "$0")
PYTHONPATH="$here/packages" exec python3 ${run}"$@"
`;
  await writeFile(path.join(into, program), script, { mode: 0o755 });
}
