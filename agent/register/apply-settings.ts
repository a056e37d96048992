import type { RunnerSettings } from "../../shared/api/runner-settings.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { Log } from "../log.ts";
import type { ShutdownState } from "../shutdown/shutdown-state.ts";
import type { SettingsCache } from "./settings-cache.ts";

export type Obeying = {
  readonly config: Pick<AgentConfig, "logLevel" | "sources" | "drainTimeout">;
  readonly settings: Pick<SettingsCache, "current" | "onChange">;
  readonly shutdown: ShutdownState;
  readonly log: Log;
  readonly signal: AbortSignal;
};

const longestTimerMs = 86_400_000; // setTimeout fires at once for longer times
const levels = { DEBUG: "debug", INFO: "info", WARN: "warn", ERROR: "error" } as const;

/**
 * Applies the runner's settings to the agent itself, and later changes at once: the log level, unless it is set
 * locally; and the maximum lifetime, after which the agent restarts as if an operator had ordered it.
 */
export function applySettings({ config, settings, shutdown, log, signal }: Obeying): void {
  const startedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;

  function obey(): void {
    if (signal.aborted) return;
    log.level = levelOf(config, settings.current());
    clearTimeout(timer);
    const uptimeMs = settings.current().container_max_uptime * 1_000;
    if (uptimeMs === 0 || shutdown.isRequested()) return;
    const leftMs = startedMs + uptimeMs - performance.now();
    if (leftMs <= 0) return restart();
    timer = setTimeout(obey, Math.min(leftMs, longestTimerMs)).unref();
  }

  function restart(): void {
    const deadlineMs = performance.now() + config.drainTimeout;
    const why = "it reached container_max_uptime";
    shutdown.request({ urgency: "draining", exit: "restart", why, deadlineMs });
  }

  signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  settings.onChange(obey);
  obey();
}

function levelOf(
  { sources, logLevel }: Obeying["config"],
  { logging_level }: RunnerSettings,
): string {
  return sources["log-level"] === "default" ? levels[logging_level] : logLevel;
}
