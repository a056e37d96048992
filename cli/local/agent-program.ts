import path from "node:path";
import { isSea } from "node:sea";

/** How the agent is started from here: from its source, or from the built program beside this one. */
export function agentProgram(): readonly [string, ...string[]] {
  if (isSea()) return [path.join(path.dirname(process.execPath), "svc-agent")];
  const isSource = import.meta.filename.endsWith(".ts");
  const main = isSource ? path.join("..", "..", "agent", "main.ts") : "svc-agent.mjs";
  return [process.execPath, path.join(import.meta.dirname, main)];
}
