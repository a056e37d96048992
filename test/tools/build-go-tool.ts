import { link, mkdir } from "node:fs/promises";
import path from "node:path";
import { runStep } from "./run-step.ts";
import type { GoModule, Tool } from "./tool-table.ts";
import { goFolder, toolsFolder } from "./tools-folder.ts";

/** Go's caches of our builds: apart from the user's own, since they are thrown away. */
export function goCaches(): string {
  return path.join(toolsFolder(), "go-caches");
}

/** Builds a tool's programs from the modules that its go.mod and go.sum pin. */
export async function buildGoTool(tool: Tool, source: GoModule, into: string): Promise<void> {
  const set = Object.entries(source.set ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const linked = ["-s", "-w", ...set].join(" ");
  const flags = ["-p", "2", "-trimpath", "-buildvcs=false", "-mod=readonly", "-modcacherw"];
  for (const [program, from] of Object.entries(source.programs)) {
    await runStep({
      program: "go",
      advice: "install Go 1.26 or newer",
      args: ["build", ...flags, "-ldflags", linked, "-o", path.join(into, program), from],
      cwd: goFolder(tool.name),
      env: {
        CGO_ENABLED: "0",
        GOCACHE: path.join(goCaches(), "builds"),
        GOMODCACHE: path.join(goCaches(), "modules"),
        GOFLAGS: "",
        // A toolchain is pinned by nothing of ours, and would be fetched unasked.
        GOTOOLCHAIN: "local",
        GOWORK: "off",
      },
    });
  }
  if (source.provider !== undefined) await layOutMirror(tool.version, source.provider, into);
}

/** As terraform and tofu look for it: a folder of links is not seen, a second name of the file is. */
async function layOutMirror(version: string, name: string, into: string): Promise<void> {
  const program = `terraform-provider-${name}`;
  const platform = `${process.platform}_${process.arch === "x64" ? "amd64" : process.arch}`;
  for (const registry of ["registry.terraform.io", "registry.opentofu.org"]) {
    const folder = path.join(into, registry, "hashicorp", name, version, platform);
    await mkdir(folder, { recursive: true });
    await link(path.join(into, program), path.join(folder, `${program}_v${version}`));
  }
}
