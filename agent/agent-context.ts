import path from "node:path";
import type { RunnerSettings } from "../shared/api/runner-settings.ts";
import type { BrokerClient } from "./client/broker-client.ts";
import type { TokenSource } from "./client/token-source.ts";
import type { LocalContext } from "./local-context.ts";
import type { JobLog, JobLogSpec } from "./logs/job-log.ts";
import { openLogs } from "./logs/open-logs.ts";
import type { Redactor } from "./logs/redactor.ts";
import { makeSendLogs } from "./logs/send-logs.ts";
import type { LogShipping } from "./logs/ship-logs.ts";
import type { LoopHealth } from "./loops/loop-runner.ts";
import { type ExecutionLeases, makeExecutionLeases } from "./orders/execution-leases.ts";
import type { Registration } from "./register/registration.ts";
import type { SettingsCache } from "./register/settings-cache.ts";
import type { RunnerProcess } from "./register/stored-process.ts";
import type { ShutdownState } from "./shutdown/shutdown-state.ts";

/** What a connected agent has: its local context and what the broker adds. Jobs and loops get it. */
export type AgentContext = LocalContext & {
  readonly client: BrokerClient;
  readonly runnerId: string;
  /** The runner process that this agent currently is. Registering again changes it. */
  readonly process: () => RunnerProcess;
  readonly deliver: () => void;
  readonly shipping: LogShipping;
  /** The settings of its runner as last read. */
  readonly settings: () => RunnerSettings;
  /** What the broker last said about the executions held here. */
  readonly leases: ExecutionLeases;
  /** The agent's own secrets; every redactor hides them. */
  readonly secrets: () => readonly string[];
  /** Network settings for every child: proxies and certificates. */
  readonly networkEnv: Readonly<Record<string, string>>;
  /** The state of the agent's loops, for health-check jobs. */
  readonly health: () => readonly LoopHealth[];
  readonly openJobLog: (spec: JobLogSpec, redactor: Redactor) => Promise<JobLog>;
  /** Shuts the agent down like the order of that name: running jobs finish first. */
  readonly requestShutdown: (how: "graceful" | "restart", why: string) => void;
};

/** What the agent has once a broker has registered it. */
export type Connection = {
  readonly client: BrokerClient;
  readonly tokens: TokenSource;
  readonly runnerId: string;
  readonly registration: Registration;
  readonly settings: SettingsCache;
  readonly networkEnv: Readonly<Record<string, string>>;
};

type Around = {
  readonly shutdown: ShutdownState;
  readonly health: AgentContext["health"];
  /** Makes the agent deliver results now. */
  readonly deliver: () => void;
  /** Makes the agent send a heartbeat soon. */
  readonly beatSoon: () => void;
};

/** Makes the context of a connected agent, and opens its logs. */
export async function openAgentContext(
  local: LocalContext,
  { client, runnerId, registration, settings, tokens, networkEnv }: Connection,
  { shutdown, health, deliver, beatSoon }: Around,
): Promise<AgentContext> {
  const { config, log } = local;
  const leases = makeExecutionLeases(beatSoon);
  const logs = await openLogs({
    dir: path.join(config.dataDir, "logs"),
    send: makeSendLogs(client),
    clock: client.clock,
    log,
    limits: { fromMs: config.retryFrom, mostMs: config.retryMost },
    spools: local.logSpools,
    onDoubt: leases.recheck,
  });
  return {
    ...local,
    client,
    runnerId,
    networkEnv,
    ...logs,
    process: registration.current,
    deliver,
    leases,
    settings: settings.current,
    secrets: () => [tokens.current(), registration.current().secret],
    health,
    requestShutdown(how, why) {
      const deadlineMs = performance.now() + config.drainTimeout;
      const exit = how === "restart" ? "restart" : "done";
      shutdown.request({ urgency: "draining", exit, why, deadlineMs });
    },
  };
}
