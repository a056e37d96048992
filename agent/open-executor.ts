import { ExitError } from "./exit-error.ts";
import type { Departure } from "./shutdown/shutdown-state.ts";
import type { AgentGround } from "./local-context.ts";
import { type Jobs, openJobs } from "./jobs/host-executor.ts";

/** Opens what does the jobs, as the settings say; an ExitError when it cannot be had. */
export async function openExecutor(ground: AgentGround, departure: Departure): Promise<Jobs> {
  const { config } = ground;
  if (config.executor === "kubernetes") {
    const { openPodJobs } = await import("./executor/open-pod-jobs.ts");
    return await openPodJobs(ground, departure);
  }
  if (config.onSigterm !== "leave") return await openJobs(ground, departure);
  const words = "needs executor = kubernetes: here nothing outlives the agent's end";
  throw new ExitError("config", `on-sigterm = leave ${words}.`);
}
