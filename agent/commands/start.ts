import type { AgentConfig } from "../config/read-config.ts";
import { openLog } from "../log.ts";
import { makeRoomToStart } from "../spool/ballast.ts";
import { startAgent, type StartOptions } from "../start-agent.ts";
import type { CommandCall } from "./agent-command.ts";

const signals = ["SIGTERM", "SIGINT", "SIGQUIT", "SIGUSR2"] as const;

const hangUp =
  "SIGHUP reloads nothing: the runner's settings are updated automatically, and the agent's own are read only at its start";

/** Runs an agent in this process until it has shut down; returns its exit code. */
export async function start({ readConfig }: Pick<CommandCall, "readConfig">): Promise<number> {
  return await runToTheEnd(readConfig());
}

/** The same for settings that were read. */
export async function runToTheEnd(config: AgentConfig, options?: StartOptions): Promise<number> {
  await makeRoomToStart(config.dataDir);
  const log = openLog(config.logLevel);
  // The last resort: an unexpected error costs only what it was part of, never the running jobs.
  process.on("unhandledRejection", (error) => log.error({ err: error }, "a fault went unhandled"));
  process.on("SIGHUP", () => log.info(hangUp));
  const hear = (signal: Awaited<ReturnType<typeof startAgent>>["signal"]): void => {
    // Handled from the beginning, so that the agent can be stopped while it starts.
    for (const name of signals) {
      process.on(name, () => {
        signal(name);
        log.info({ signal: name }, "was sent a signal");
      });
    }
  };
  const agent = await startAgent(config, log, hear, options);
  return await agent.gone;
}
