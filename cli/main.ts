#!/usr/bin/env node
const oldest = 24;

/** Nothing else is loaded before this: an older Node might not even parse it. */
async function main(): Promise<void> {
  if (Number.parseInt(process.versions.node, 10) < oldest) {
    process.stderr.write(
      `svc needs Node ${oldest}, this is ${process.versions.node}: "npm ci" brings one, "npx svc" uses it.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const { commands } = await import("./commands.ts");
  const { runCommand } = await import("./run-command.ts");
  process.exitCode = await runCommand(process.argv.slice(2), commands);
}

await main();
