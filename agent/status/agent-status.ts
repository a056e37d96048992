import { version } from "../../shared/version.ts";
import type { LoopContext } from "../loops/loop-context.ts";
import { servedSlots } from "../register/served-slots.ts";

/** The status of an agent, as /status.json and `svc-agent status` show it. */
export type AgentStatus = {
  readonly version: string;
  readonly pid: number;
  readonly broker_url: string;
  readonly runner_id: string;
  readonly process_id: string;
  readonly uptime_s: number;
  /** staying, draining, stopping or killing. */
  readonly urgency: string;
  readonly why: string | null;
  /** Time since the broker's last answer; null if there was none. */
  readonly silent_s: number | null;
  /** How far this host's clock is ahead of the broker's. */
  readonly clock_ahead_ms: number;
  readonly is_ready: boolean;
  /** Why it is not ready. */
  readonly not_ready: readonly string[];
  readonly groups: Readonly<Record<string, { readonly slots: number; readonly in_use: number }>>;
  readonly jobs: readonly {
    readonly job_id: string;
    readonly execution_id: string;
    readonly type: string;
    readonly group: string;
  }[];
  readonly waiting: {
    readonly results: number;
    readonly log_bytes: number;
    readonly log_oldest_ms: number;
  };
  readonly settings_version: number;
  readonly loops: readonly {
    readonly name: string;
    readonly is_well: boolean;
    readonly restarts: number;
    readonly quiet_ms: number;
    readonly last_error: string | null;
  }[];
  readonly memory_bytes: number;
};

const beatsToMiss = 3;
/** An idle agent sends nothing for 15 s; its heartbeat then may take 10 s. */
const leastSilenceMs = 25_000;
const muchSkewMs = 30_000;

/** The current status of the agent. */
export function statusOf(parts: LoopContext): AgentStatus {
  const { agent, shutdown, settings } = parts;
  const { runningJobs, results, logSpools, client, config } = agent;
  const silentMs = performance.now() - client.heardAtMs();
  const reasons = notReady(parts, silentMs);
  const slots = Object.entries(servedSlots(config, settings.current()));
  return {
    version,
    pid: process.pid,
    broker_url: config.brokerUrl ?? "",
    runner_id: agent.runnerId,
    process_id: agent.process().id,
    uptime_s: Math.round(process.uptime()),
    urgency: shutdown.urgency(),
    why: shutdown.current()?.why ?? null,
    silent_s: Number.isFinite(silentMs) ? Math.round(silentMs / 1000) : null,
    clock_ahead_ms: client.clock.skewMs(),
    is_ready: reasons.length === 0,
    not_ready: reasons,
    groups: Object.fromEntries(
      slots.map(([group, slots]) => [group, { slots, in_use: runningJobs.count(group) }]),
    ),
    jobs: runningJobs.all().map(({ jobId, executionId, type, group }) => ({
      job_id: jobId,
      execution_id: executionId,
      type,
      group,
    })),
    waiting: {
      results: results.list().length,
      log_bytes: logSpools.waitingBytes(),
      log_oldest_ms: logSpools.oldestWaitingMs(),
    },
    settings_version: settings.current().version,
    loops: agent.health().map(({ name, isWell, restarts, quietMs, lastError }) => ({
      name,
      is_well: isWell,
      restarts,
      quiet_ms: quietMs,
      last_error: lastError,
    })),
    memory_bytes: process.memoryUsage.rss(),
  };
}

const leastStillMs = 60_000;

/**
 * Why the agent counts as hung although its process runs. Every heartbeat has a timeout, so one that never ends is
 * stuck.
 */
export function stalledBy({ agent, shutdown, settings }: LoopContext): string | undefined {
  if (shutdown.isRequested()) return undefined;
  const beat = agent.health().find(({ name }) => name === "beat");
  const mostMs = leastStillMs + (beatsToMiss * settings.current().heart_beat_timeout) / 1e6;
  if (beat === undefined || beat.stillMs <= mostMs) return undefined;
  return `its heartbeat has been stuck for ${Math.round(beat.stillMs / 1000)} s`;
}

function notReady({ agent, shutdown, settings, figures }: LoopContext, silentMs: number): string[] {
  const beatMs = settings.current().heart_beat_timeout / 1e6;
  const isSilent = silentMs > Math.max(leastSilenceMs, beatsToMiss * beatMs);
  const skewMs = agent.client.clock.skewMs();
  return [
    shutdown.isRequested() ? `it is shutting down: ${shutdown.current()?.why}` : "",
    isSilent ? "the broker does not answer" : "",
    figures.notClaiming ?? "",
    Math.abs(skewMs) > muchSkewMs
      ? `this host's clock is ${Math.round(skewMs / 1000)} s ahead`
      : "",
  ].filter((reason) => reason !== "");
}
