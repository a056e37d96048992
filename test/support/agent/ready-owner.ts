import { writeFileSync } from "node:fs";
import type { ChildSpec } from "../../../agent/processes/child.ts";
import { readyChild } from "../../../agent/processes/ready-child.ts";

/** Makes a child ready as an agent would, says so by a file, and lets it begin where it is told to, as its last deed. */
const [, , text = "", file = "", then] = process.argv;
const ready = await readyChild(JSON.parse(text) as ChildSpec); // the test's own
writeFileSync(file, "");
if (then === "goes") {
  await ready.go();
  process.kill(process.pid, "SIGKILL");
}
setInterval(() => {}, 60_000);
