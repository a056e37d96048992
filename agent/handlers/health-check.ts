import type { Handler } from "../jobs/handler.ts";

/** Returns the state of the agent's loops as outputs. The job succeeds whatever they say: the caller judges. */
export const healthCheck: Handler = {
  types: ["health-check"],
  validate: () => ({
    execute: async ({ agent }) => {
      const loops = agent
        .health()
        .map(({ name, isWell, restarts, quietMs, lastError }) => [
          name,
          { is_well: isWell, restarts, quiet_ms: quietMs, last_error: lastError },
        ]);
      const isWell = agent.health().every((loop) => loop.isWell);
      return await Promise.resolve({
        outputs: {
          is_well: isWell,
          loops: Object.fromEntries(loops) as Record<string, unknown>,
          held_executions: agent.runningJobs.all().length,
          results_waiting: agent.results.list().length,
          log_bytes_waiting: agent.logSpools.waitingBytes(),
        },
      });
    },
  }),
};
