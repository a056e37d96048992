import type { LocalContext } from "../local-context.ts";
import type { RestartTimes } from "../loops/report-restarts.ts";
import { readLastRestart } from "./restart-schedule.ts";

/** What tells when this process is restarted on schedule; of a management process, when its host is powered off. */
export async function restartTimes(
  { config, management }: Pick<LocalContext, "config" | "management">,
  restartAt: () => number | undefined,
): Promise<() => RestartTimes> {
  const previous = (await readLastRestart(config.dataDir)) ?? "";
  return () => {
    const atMs = management === undefined ? restartAt() : management.hostRestartAtMs();
    return { next: atMs === undefined ? "" : new Date(atMs).toISOString(), previous };
  };
}
