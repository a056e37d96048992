import path from "node:path";
import type { AgentConfig } from "../config/read-config.ts";
import { ExitError } from "../exit-error.ts";
import { openManagement } from "../mng/open-management.ts";
import type { CommandCall } from "./agent-command.ts";
import { runToTheEnd } from "./start.ts";

/** The install agent of the host has the usual one. */
const usualDataDir = "/var/lib/svc-agent-mng";

/** Looks after the install agent of this host until it is told to stop; the agent goes on after that. */
export async function manage({ readConfig }: Pick<CommandCall, "readConfig">): Promise<number> {
  return await runToTheEnd(asManagement(readConfig()), { openManagement });
}

/** The settings of a management process, where they differ from an agent's. */
export function asManagement(given: AgentConfig): AgentConfig {
  const { sources } = given;
  if (sources.mode !== "default" && given.mode !== "mng") {
    throw new ExitError("config", `svc-agent mng has the mode mng, not ${given.mode}.`);
  }
  const dataDir = sources["data-dir"] === "default" ? usualDataDir : given.dataDir;
  if (path.resolve(given.mngAgentDataDir) === dataDir) {
    const words = `data-dir is that of the install agent, ${dataDir}: give svc-agent mng its own.`;
    throw new ExitError("config", words);
  }
  const isWorkDirOwn = sources["work-dir"] !== "absent";
  return {
    ...given,
    mode: "mng",
    dataDir,
    workDir: isWorkDirOwn ? given.workDir : path.join(dataDir, "work"),
    toolsDir: sources["tools-dir"] === "absent" ? path.join(dataDir, "tools") : given.toolsDir,
    // Without a broker it still keeps the agent running.
    startTimeout: sources["start-timeout"] === "default" ? 0 : given.startTimeout,
  };
}
