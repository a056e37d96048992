import { copyFile, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { runStep } from "./run-step.ts";
import type { GoLibrary, Tool } from "./tool-table.ts";
import { goFolder } from "./tools-folder.ts";

/** What Go is told wherever it works with the library: nothing of the user's own, and no network but here. */
const settings = {
  CGO_ENABLED: "0",
  // The folder may be moved: without -trimpath, what was compiled would be bound to it.
  GOFLAGS: "-mod=readonly -modcacherw -trimpath",
  GOTOOLCHAIN: "local",
  GOWORK: "off",
};

/** Go itself as a program that has a library, compiled and with all that it needs, so that what imports it is built without a network. */
export async function getGoLibrary(tool: Tool, source: GoLibrary, into: string): Promise<void> {
  // As a module of its own: -mod=readonly leaves the pins as they are.
  const cwd = path.join(into, "module");
  await mkdir(cwd);
  for (const file of ["go.mod", "go.sum", "tools.go"])
    await copyFile(path.join(goFolder(tool.name), file), path.join(cwd, file));
  await runStep({
    program: "go",
    advice: "install Go 1.26 or newer",
    args: ["build", ...source.packages],
    cwd,
    env: {
      ...settings,
      GOCACHE: path.join(into, "builds"),
      GOMODCACHE: path.join(into, "modules"),
    },
  });
  const set = Object.entries(settings).map(([name, value]) => `${name}='${value}'`);
  const script = `#!/bin/sh
here=$(dirname "$0")
export ${set.join(" ")}
GOPROXY=off GOMODCACHE="$here/modules" GOCACHE="$here/builds" exec go "$@"
`;
  await writeFile(path.join(into, source.program), script, { mode: 0o755 });
}
