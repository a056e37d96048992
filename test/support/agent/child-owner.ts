import { appendFileSync, existsSync, statSync } from "node:fs";
import type { ChildSpec } from "../../../agent/processes/child.ts";
import { findChild } from "../../../agent/processes/find-child.ts";
import { adoptChild } from "../../../agent/processes/hold-child.ts";
import { startChild } from "../../../agent/processes/start-child.ts";

/**
 * A process that owns a child, to be killed: starts it, or takes over the one that there is, and copies its output to
 * a file, as an agent does to its spool: written first, released after. `node child-owner.ts <spec> <file>`.
 */
const [specText = "", copy = ""] = process.argv.slice(2);
// Both come from the spec that runs us.
const spec = JSON.parse(specText) as ChildSpec;
const manifest = findChild(spec.runDir, spec.executionId, spec.step);
const from = existsSync(copy) ? statSync(copy).size : 0;
const child = manifest === undefined ? await startChild(spec) : adoptChild(manifest, { from });
if (child === undefined) throw new Error("nothing to adopt");
for await (const { bytes, offset } of child.output) {
  appendFileSync(copy, bytes);
  child.output.release(offset + bytes.length);
}
process.stdout.write(`${JSON.stringify(await child.exited)}\n`);
