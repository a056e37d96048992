#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import path from "node:path";
import { setFlagsFromString } from "node:v8";

/** The first version whose own HTTP client supports proxies. */
const oldest = [24, 5] as const;
/** The exit code `config`. The table of exit codes cannot be loaded yet, and a restart would find the same Node. */
const configCode = 78;

/** Nothing else is loaded before this: an older Node might not even parse it. */
async function main(): Promise<number> {
  if (isTooOld()) {
    const words = `svc-agent needs Node ${oldest.join(".")} or newer, and ${process.execPath} is ${process.versions.node}: start it by a newer one, or use the single executable.`;
    process.stderr.write(`${words}\n`);
    return configCode;
  }
  // Otherwise the garbage of the start would enlarge the young generation for good: six megabytes of an idle
  // agent.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Halves the time to start. If the folder cannot be written, nothing changes; a built program has no such
  // folder.
  if (import.meta.filename.endsWith(".ts")) {
    enableCompileCache(path.join(import.meta.dirname, "..", "node_modules", ".cache", "svc"));
  }
  const { environment } = await import("./config/environment.ts");
  const { hideToken } = await import("./hide-token.ts");
  const env = hideToken(environment());
  const { runLine } = await import("./commands/program.ts");
  return await runLine(process.argv.slice(2), env);
}

function isTooOld(): boolean {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
}

// Not awaited here: a single executable begins with a script, where nothing can be awaited.
void main().then((code) => process.exit(code));
