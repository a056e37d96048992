import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import type { ChildSpec } from "../../../agent/processes/child.ts";
import { startChild } from "../../../agent/processes/start-child.ts";

/**
 * A process that has no file descriptor left when its child ends, and has some again when its standard input ends:
 * `node starved-owner.ts <spec> <signal>`, the signal being for the child's supervisor. It prints how the child ended.
 */
const [specText = "", signal = ""] = process.argv.slice(2);
const child = await startChild(JSON.parse(specText) as ChildSpec); // from the spec that runs us
for await (const _ of child.output) break; // it says that it is up
const inputEnds = once(process.stdin.resume(), "end");
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // That was the last one.
}
if (signal !== "") process.kill(child.manifest.supervisor.pid, signal);
process.kill(child.manifest.leader.pid, "SIGUSR1");
await inputEnds;
for (const fd of taken) closeSync(fd);
process.stdout.write(`${JSON.stringify(await child.exited)}\n`);
process.exit();
