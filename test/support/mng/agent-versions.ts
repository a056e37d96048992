import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { version as present } from "../../../shared/version.ts";
import { agentProgram } from "../programs/present-programs.ts";

/** The present agent under another version: what a later release would be. */
export async function agentOfVersion(version: string): Promise<string> {
  const text = await readFile(agentProgram, "utf8");
  return text.replaceAll(`"${present}"`, `"${version}"`);
}

/** Puts a version into a folder of versions. */
export async function putVersion(dir: string, version: string, text: string): Promise<void> {
  const folder = path.join(dir, version);
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, "svc-agent.mjs");
  await writeFile(file, text);
  await chmod(file, 0o755);
}

/** A version that says what it is, and does nothing else but this. */
export const oddVersion = (version: string, start: string): string =>
  [
    "#!/usr/bin/env node",
    `if (process.argv[2] === "version") console.log(JSON.stringify({ version: "${version}" }));`,
    `else { ${start} }`,
  ].join("\n");
