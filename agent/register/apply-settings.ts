import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { Log } from "../log.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";
import { restartAtMs, storeLastRestart } from "./restart-schedule.ts";
import type { SettingsCache } from "./settings-cache.ts";

export type Obeying = {
  readonly config: Pick<AgentConfig, "logLevel" | "sources" | "dataDir">;
  readonly settings: Pick<SettingsCache, "current" | "onChange">;
  readonly shutdown: ShutdownState;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** A management process has no longest life of its own. */
  readonly isManagement: boolean;
};

const longestTimerMs = 86_400_000; // setTimeout fires at once for longer times
const levels = { DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;

/**
 * Applies the runner's settings to the agent itself, and later changes at once: the log level, unless it is set
 * locally; and the longest life, after which the agent finishes what runs, however long that takes, and restarts.
 * Returns what tells when that is; undefined for never.
 */
export function applySettings(obeying: Obeying): () => number | undefined {
  const { config, settings, shutdown, log, signal } = obeying;
  const startedAtMs = Date.now();
  const startedMs = performance.now();
  const restartAt = (): number | undefined => {
    if (obeying.isManagement) return undefined;
    return restartAtMs(startedAtMs, settings.current().container_max_uptime, config.dataDir);
  };
  let timer: NodeJS.Timeout | undefined;

  function obey(): void {
    if (signal.aborted) return;
    log.level = levelOf(config, settings.current());
    clearTimeout(timer);
    const atMs = restartAt();
    if (atMs === undefined || shutdown.isRequested()) return;
    // By the monotonic clock: setting the host's clock restarts nobody.
    const leftMs = atMs - startedAtMs - (performance.now() - startedMs);
    if (leftMs <= 0) return restart();
    timer = setTimeout(obey, Math.min(leftMs, longestTimerMs)).unref();
  }

  function restart(): void {
    const why = "it reached container_max_uptime";
    log.info({ why }, "the process finishes what runs");
    shutdown.request({ urgency: "draining", exit: "restart", why });
    void storeLastRestart(config.dataDir).catch((error: unknown) => {
      log.warn({ err: error }, "the time of the scheduled restart could not be kept");
    });
  }

  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  settings.onChange(obey);
  obey();
  return restartAt;
}

function levelOf(
  { sources, logLevel }: Obeying["config"],
  { logging_level }: RunnerSettings,
): string {
  return sources["log-level"] === "default" ? levels[logging_level] : logLevel;
}
