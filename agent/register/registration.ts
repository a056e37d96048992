import { type NewProcess, registerProcessRoute } from "../../shared/api/runner-process.ts";
import { defaultServes } from "../../shared/process-groups.ts";
import { version } from "../../shared/version.ts";
import type { BrokerClient } from "../client/broker-client.ts";
import { Refused } from "../client/over.ts";
import type { GroupSlots } from "../config/parsers.ts";
import type { AgentConfig } from "../config/read-config.ts";
import type { Log } from "../log.ts";
import type { ProcessIdentity } from "../parts.ts";
import { readStoredProcess, storeProcess } from "./stored-process.ts";

/** Which process of the runner this agent is. */
export type Registration = {
  readonly current: () => ProcessIdentity;
  /** Becomes another process that takes over what this one held, unless it is another one already. */
  readonly renew: (over: string) => Promise<void>;
  readonly onChange: (listener: () => void) => void;
};

export type RegistrationParts = {
  readonly config: AgentConfig;
  readonly client: BrokerClient;
  readonly runnerId: string;
  readonly log: Log;
};

/** So many jobs of a group may run here at most, where the command line gave no number: the settings decide. */
const asManyAsSettingsSay = 100;

/** Registers a process, in place of the one that this data directory's agent was before. */
export async function register(
  parts: RegistrationParts,
  how: { readonly giveUpAfterMs: number | undefined; readonly signal: AbortSignal },
): Promise<Registration> {
  const { config, runnerId } = parts;
  const before = await readStoredProcess(config.dataDir, runnerId);
  let current = await registerOnce(parts, before, how);
  let renewing: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  async function renewNow(): Promise<void> {
    current = await registerOnce(parts, current, { signal: how.signal });
    for (const listener of listeners) listener();
  }
  return {
    current: () => current,
    renew(over) {
      if (over !== current.id) return Promise.resolve();
      renewing ??= renewNow().finally(() => (renewing = undefined));
      return renewing;
    },
    onChange: (listener) => void listeners.add(listener),
  };
}

type How = { readonly giveUpAfterMs?: number | undefined; readonly signal: AbortSignal };

async function registerOnce(
  parts: RegistrationParts,
  before: ProcessIdentity | undefined,
  how: How,
): Promise<ProcessIdentity> {
  const { config, runnerId, log } = parts;
  const taken = before && { takes_over: before.id, secret: before.secret };
  const body: NewProcess = {
    type: config.mode,
    version,
    groups: slotsOf(config),
    ...taken,
  };
  try {
    const made = await callRegister(parts, body, how);
    await storeProcess(config.dataDir, runnerId, made);
    log.info({ process_id: made.id, took_over: before?.id }, "registered");
    return made;
  } catch (error) {
    const isRefused = error instanceof Refused && error.code === "takeover_refused";
    if (before === undefined || !isRefused) throw error;
    log.info(
      { process_id: before.id },
      "the process before this one is gone; nothing to take over",
    );
    return await registerOnce(parts, undefined, how);
  }
}

async function callRegister(
  { client, runnerId }: RegistrationParts,
  body: NewProcess,
  how: How,
): Promise<ProcessIdentity> {
  const input = { params: { runner_id: runnerId }, body };
  const answer = await client.call(registerProcessRoute, input, { scope: "agent", ...how });
  const { id, secret = "" } = answer.body;
  return { id, secret };
}

/** Group → slots as they are announced. */
function slotsOf(config: AgentConfig): GroupSlots {
  if (config.groups !== undefined) return config.groups;
  const served = Object.keys(defaultServes(config.mode, true) ?? {});
  return Object.fromEntries(served.map((group) => [group, asManyAsSettingsSay]));
}
