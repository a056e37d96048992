import type { RunnerSettings } from "../shared/api/runner-settings.ts";
import type { BrokerClient } from "./client/broker-client.ts";
import type { LocalContext } from "./local-context.ts";
import type { LogShipping } from "./logs/ship-logs.ts";
import type { ExecutionLeases } from "./orders/execution-leases.ts";

/** What an agent is made of; handed to everything that it runs. */
export type AgentParts = LocalContext & {
  readonly client: BrokerClient;
  readonly runnerId: string;
  /** The process that this agent is at present: a re-registration makes it another one. */
  readonly process: () => ProcessIdentity;
  readonly deliver: () => void;
  readonly shipping: LogShipping;
  /** The settings of its runner as last read. */
  readonly settings: () => RunnerSettings;
  /** What the broker is known to think of what is held. */
  readonly leases: ExecutionLeases;
  /** The secrets of the agent itself, for every redactor. */
  readonly secrets: () => readonly string[];
  /** What every child needs to get out to the network: proxies and certificates. */
  readonly networkEnv: Readonly<Record<string, string>>;
  /** How the agent's own loops are, for jobs that ask. */
  readonly health: () => readonly LoopHealth[];
};

/** A process of the runner, and what proves that it was us. */
export type ProcessIdentity = { readonly id: string; readonly secret: string };

/** How one of the agent's loops is. */
export type LoopHealth = {
  readonly name: string;
  /** It has not failed since it was last all right. */
  readonly isWell: boolean;
  /** How often it threw and was started again. */
  readonly restarts: number;
  /** Since it last came round, ms. */
  readonly quietMs: number;
  /** Since it last came round or failed, or should have begun again, ms. */
  readonly stillMs: number;
  readonly lastError: string | null;
};
