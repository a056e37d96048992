import { readdir } from "node:fs/promises";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { version } from "../../shared/version.ts";
import type { Metrics } from "../metrics.ts";

export type ProcessWatch = {
  /** Begins the next interval: quantiles and counts are those of the last one. */
  readonly refresh: () => Promise<void>;
  readonly stop: () => void;
};

const resolutionMs = 20;
const quantiles = [50, 99, 100] as const;

/** Registers what the operating system and Node know of this process. */
export function watchProcess(metrics: Metrics): ProcessWatch {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let lags: (readonly [{ quantile: string }, number])[] = [];
  let openFiles = 0;

  metrics.gauge("svc_build_info", "Always 1; the version is its label.", () => [[{ version }, 1]]);
  metrics.gauge(
    "svc_event_loop_lag_seconds",
    "Event loop delay in the last ten seconds.",
    () => lags,
  );
  metrics.total("process_cpu_seconds_total", "CPU time, user and system.", () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  });
  metrics.gauge("process_resident_memory_bytes", "Memory in use.", () => process.memoryUsage.rss());
  metrics.gauge(
    "process_heap_bytes",
    "JavaScript heap in use.",
    () => process.memoryUsage().heapUsed,
  );
  const startedAtS = Math.round(Date.now() / 1000 - process.uptime());
  metrics.gauge(
    "process_start_time_seconds",
    "Start time of the process, Unix time.",
    () => startedAtS,
  );
  metrics.gauge(
    "process_open_fds",
    "Open files and sockets; 0 where the system does not report it.",
    () => openFiles,
  );

  return {
    refresh: async () => {
      lags = quantiles.map((percent) => [
        { quantile: String(percent / 100) },
        // The timer's own period is part of the measurement. Without a measurement the lag is 0.
        delay.count === 0 ? 0 : Math.max(0, delay.percentile(percent) / 1e9 - resolutionMs / 1000),
      ]);
      delay.reset();
      openFiles = (await readdir("/proc/self/fd").catch(() => [])).length;
    },
    stop: () => void delay.disable(),
  };
}
