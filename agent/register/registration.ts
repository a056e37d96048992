import { type NewProcess, registerProcessRoute } from "../../shared/api/runner-process.ts";
import { defaultServes } from "../../shared/process-groups.ts";
import { newestPlans } from "../../shared/runner-job-types.ts";
import { version } from "../../shared/version.ts";
import { registrationAnswerSchema } from "../client/answer-schemas.ts";
import type { BrokerClient } from "../client/broker-client.ts";
import { Refused } from "../client/broker-errors.ts";
import type { GroupSlots } from "../config/parsers.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { LocalContext } from "../local-context.ts";
import type { Log } from "../log.ts";
import { type Moment, momentNow } from "../orders/execution-leases.ts";
import { readStoredProcess, type RunnerProcess, storeProcess } from "./stored-process.ts";

/** The runner process that this agent is. */
export type Registration = {
  readonly current: () => RunnerProcess;
  /** What the broker said at the last registration about the executions held here. */
  readonly told: () => ToldOfHeld;
  /** Registers a new process that takes over what this one held, unless that has happened already. */
  readonly renew: (over: string) => Promise<void>;
  readonly onChange: (listener: () => void) => void;
};

/** Orders to stop executions that have ended; undefined from a broker that does not send them. */
export type ToldOfHeld = {
  readonly executionIds: readonly string[];
  readonly asked: Moment;
  readonly orders: readonly unknown[] | undefined;
};

export type RegistrationSpec = {
  readonly config: AgentConfig;
  readonly client: BrokerClient;
  readonly runnerId: string;
  readonly log: Log;
  readonly keptState: LocalContext["keptState"];
  /** The executions that have state on this host. */
  readonly held: () => readonly string[];
};

/** The most that the broker accepts. */
const mostNamed = 1_000;
/** The most jobs of a group, when the agent's own settings give no number: the runner's settings decide. */
const asManyAsSettingsSay = 100;

/** Registers a process that replaces the earlier one of this data directory. */
export async function register(
  parts: RegistrationSpec,
  how: { readonly giveUpAfterMs: number | undefined; readonly signal: AbortSignal },
): Promise<Registration> {
  const { config, runnerId } = parts;
  const before = await readStoredProcess(config.dataDir, runnerId);
  let { told, ...current } = await registerOnce(parts, before, how);
  let renewing: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  async function renewNow(): Promise<void> {
    ({ told, ...current } = await registerOnce(parts, current, { signal: how.signal }));
    for (const listener of listeners) listener();
  }
  return {
    current: () => current,
    told: () => told,
    renew(over) {
      if (over !== current.id) return Promise.resolve();
      renewing ??= renewNow().finally(() => (renewing = undefined));
      return renewing;
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

type Registered = RunnerProcess & { readonly told: ToldOfHeld };
type How = { readonly giveUpAfterMs?: number | undefined; readonly signal: AbortSignal };

async function registerOnce(
  parts: RegistrationSpec,
  before: RunnerProcess | undefined,
  how: How,
): Promise<Registered> {
  const { config, runnerId, log } = parts;
  const taken = before && { takes_over: before.id, secret: before.secret };
  const body: NewProcess = {
    type: config.mode,
    version,
    groups: slotsOf(config),
    executions: parts.held().slice(0, mostNamed),
    binds_plans: true,
    reads_plans: newestPlans,
    ...taken,
  };
  try {
    const made = await callRegister(parts, body, how);
    await storeProcess(config.dataDir, runnerId, made);
    await parts.keptState.keep();
    log.info({ process_id: made.id, took_over: before?.id }, "registered");
    return made;
  } catch (error) {
    const isRefused = error instanceof Refused && error.code === "takeover_refused";
    if (before === undefined || !isRefused) throw error;
    log.info(
      { process_id: before.id },
      "the former process no longer exists; nothing to take over",
    );
    return await registerOnce(parts, undefined, how);
  }
}

async function callRegister(
  { client, runnerId }: RegistrationSpec,
  body: NewProcess,
  how: How,
): Promise<Registered> {
  const input = { params: { runner_id: runnerId }, body };
  const { executions: executionIds = [] } = body;
  const asked = momentNow();
  const asking = { scope: "agent", answer: registrationAnswerSchema, ...how } as const;
  const answer = await client.call(registerProcessRoute, input, asking);
  const { id, secret = "", orders } = answer.body;
  return { id, secret, told: { executionIds, asked, orders } };
}

/** Slots of each group, as announced to the broker. */
function slotsOf(config: AgentConfig): GroupSlots {
  if (config.groups !== undefined) return config.groups;
  const served = Object.keys(defaultServes(config.mode, true) ?? {});
  return Object.fromEntries(served.map((group) => [group, asManyAsSettingsSay]));
}
