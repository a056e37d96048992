#!/usr/bin/env node
import { enableCompileCache } from "node:module";
import path from "node:path";

const oldest = 24;

/** Nothing else is loaded before this: an older Node might not even parse it. */
async function main(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) < oldest) {
    refuse(
      `svc needs Node ${oldest}, this is ${process.versions.node}: run "npm ci" in its folder, then "./svc".`,
    );
    return;
  }
  // Halves the time to start; where the folder cannot be written, it is as before. A built program has no such folder.
  if (import.meta.filename.endsWith(".ts")) {
    enableCompileCache(path.join(import.meta.dirname, "..", "node_modules", ".cache", "svc"));
  }
  // A broker that is this executable starts its child processes by it.
  if (process.argv[2] === "work-child") {
    const { runWorkChild } = await import("./local/work-child.ts");
    return runWorkChild();
  }
  const { programFor } = await import("./program.ts");
  const { runProgram } = await import("../shared/command-line/run-program.ts");
  const argv = process.argv.slice(2);
  process.exitCode = await runProgram(argv, await programFor(argv));
}

function refuse(words: string): void {
  process.stderr.write(`${words}\n`);
  process.exitCode = 1;
}

main().catch((error: unknown) => {
  const isBare = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
  if (!isBare) throw error;
  refuse('svc lacks the packages it is made of: run "npm ci" in its folder first.');
});
