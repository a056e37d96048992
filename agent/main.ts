#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import path from "node:path";
import { setFlagsFromString } from "node:v8";

/** The first whose own HTTP client knows proxies. */
const oldest = [24, 5] as const;
/** A wrong setting's code, of the table that cannot be loaded yet: whoever starts it again finds the same Node. */
const configCode = 78;

/** Nothing else is loaded before this: an older Node might not even parse it. */
async function main(): Promise<number> {
  if (isTooOld()) {
    const words = `svc-agent needs Node ${oldest.join(".")} or newer, and ${process.execPath} is ${process.versions.node}: start it by a newer one, or use the single executable.`;
    process.stderr.write(`${words}\n`);
    return configCode;
  }
  // What the start throws away would else make the young space large for good: six megabytes of an agent at rest.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Halves the time to start; where the folder cannot be written, it is as before. A built program has no such folder.
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
