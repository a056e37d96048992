import type { BackoffLimits } from "../client/backoff.ts";
import type { Log } from "../log.ts";
import { type LogSpools, openLogSpools } from "../spool/log-spools.ts";
import { type JobLog, type JobLogSpec, openJobLog } from "./job-log.ts";
import type { SendLogs } from "./log-request.ts";
import type { Redactor } from "./redactor.ts";
import { type LogShipping, type ShipLogsSpec, shipLogs } from "./ship-logs.ts";

/** All that an agent has of logs. */
export type AgentLogs = {
  readonly logSpools: LogSpools;
  readonly shipping: LogShipping;
  readonly openJobLog: (spec: JobLogSpec, redactor: Redactor) => Promise<JobLog>;
};

export type AgentLogsSpec = {
  /** `logs` in the data directory. */
  readonly dir: string;
  /** What is there, where somebody has opened it already. */
  readonly spools?: LogSpools;
  readonly send: SendLogs;
  readonly clock: ShipLogsSpec["clock"];
  readonly log: Log;
  readonly limits: BackoffLimits;
  /** The broker takes a log's records as of something that is over, or not at all. */
  readonly onDoubt?: (executionId: string) => void;
  readonly maxBytesPerJob?: number;
  readonly maxBytes?: number;
};

/** Opens what is on disk and begins to send it. */
export async function openLogs(spec: AgentLogsSpec): Promise<AgentLogs> {
  const spools = spec.spools ?? (await openLogSpools(spec));
  const { send, clock, log, limits, onDoubt = () => {} } = spec;
  return {
    logSpools: spools,
    shipping: shipLogs({ spools, send, clock, log, limits, onDoubt }),
    openJobLog: (jobLog, redactor) => openJobLog(spools, jobLog, redactor),
  };
}
