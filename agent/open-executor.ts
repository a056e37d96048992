import { ExitError } from "./exit-error.ts";
import { type Executor, openHostExecutor } from "./jobs/host-executor.ts";
import type { LocalContext } from "./local-context.ts";
import type { ShutdownState } from "./shutdown/shutdown-state.ts";

/** Opens the executor that the settings select. Throws an ExitError when it is not available. */
export async function openExecutor(
  local: LocalContext,
  shutdown: ShutdownState,
): Promise<Executor> {
  const { config } = local;
  if (config.executor === "kubernetes") {
    const { openPodJobs } = await import("./executor/open-pod-jobs.ts");
    return await openPodJobs(local, shutdown);
  }
  if (config.onSigterm !== "leave") return await openHostExecutor(local, shutdown);
  const words = "needs executor = kubernetes: jobs on a host do not survive the agent's shutdown";
  throw new ExitError("config", `on-sigterm = leave ${words}.`);
}
