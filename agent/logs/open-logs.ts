import type { BackoffLimits } from "../client/backoff.ts";
import type { Log } from "../log.ts";
import { type LogSpools, openLogSpools } from "../spool/log-spools.ts";
import { type JobLog, type JobLogSpec, openJobLog } from "./job-log.ts";
import type { SendLogs } from "./log-request.ts";
import type { Redactor } from "./redactor.ts";
import { type LogShipping, type ShipLogsSpec, shipLogs } from "./ship-logs.ts";

/** The logs of an agent. */
export type AgentLogs = {
  readonly logSpools: LogSpools;
  readonly shipping: LogShipping;
  readonly openJobLog: (spec: JobLogSpec, redactor: Redactor) => Promise<JobLog>;
};

export type AgentLogsSpec = {
  /** `logs` in the data directory. */
  readonly dir: string;
  /** The spools, if they are open already. */
  readonly spools?: LogSpools;
  readonly send: SendLogs;
  readonly clock: ShipLogsSpec["clock"];
  readonly log: Log;
  readonly limits: BackoffLimits;
  /** Called when the broker says that the execution of a log has ended, or refuses its records. */
  readonly onDoubt?: (executionId: string) => void;
  readonly maxBytesPerJob?: number;
  readonly maxBytes?: number;
};

/** Opens the logs on disk and starts to send them. */
export async function openLogs(spec: AgentLogsSpec): Promise<AgentLogs> {
  const spools = spec.spools ?? (await openLogSpools(spec));
  const { send, clock, log, limits, onDoubt = () => {} } = spec;
  return {
    logSpools: spools,
    shipping: shipLogs({ spools, send, clock, log, limits, onDoubt }),
    openJobLog: (jobLog, redactor) => openJobLog(spools, jobLog, redactor),
  };
}
