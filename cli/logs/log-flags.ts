import type { ArgSpec, FlagSpec } from "../../shared/command-line/command.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { logSeverities } from "../../shared/log-severity.ts";
import { readInstant } from "../flags/read-flags.ts";

/** What every command on a log takes. */
export const logArg = {
  summary: "The id of a job, of a process, or of a log stream.",
  offers: "jobs",
} as const satisfies ArgSpec;

/** What a log is narrowed to, and how its records are shown. */
export const logFlags = {
  since: {
    value: "DURATION",
    summary: "Only records since then: a duration ago like 15m, or an instant.",
  },
  until: {
    value: "DURATION",
    summary: "Only records until then: a duration ago like 15m, or an instant.",
  },
  step: { value: "STEP", summary: "Only records of this step." },
  severity: {
    value: "SEVERITY",
    choices: logSeverities,
    summary: "Only records of this severity or higher.",
  },
  "no-timestamps": { summary: "Do not show the time of each record." },
  raw: { summary: "Print only the text as it was written, including control characters." },
} as const satisfies Record<string, FlagSpec>;

/** How the output formats go with logs. */
export const logDetails =
  "With -o ndjson or json each record is a line of JSON, with -o name its cursor. Colours are kept on a terminal; all " +
  "else that could steer it is left out, unless --raw.";

export type LogFlags = {
  readonly since: string | undefined;
  readonly until: string | undefined;
  readonly step: string | undefined;
  readonly severity: (typeof logSeverities)[number] | undefined;
  readonly "no-timestamps": boolean;
  readonly raw: boolean;
};

/** The query that the flags stand for. */
export function logQuery({ since, until, step, severity }: LogFlags): {
  since: string | undefined;
  until: string | undefined;
  step: string | undefined;
  severity: LogFlags["severity"];
} {
  return {
    since: readInstant("--since", since),
    until: readInstant("--until", until),
    step,
    severity,
  };
}

/** The path of the stream: a job's and a process's has their id with its own prefix. */
export function streamParams(id: string): { log_stream_id: string } {
  const [, kind, rest] = /^(job|prc|lgs)_([0-9a-z]{26})$/.exec(id) ?? [];
  if (kind === undefined) {
    throw new UsageError(`"${id}" is not the id of a job, a process or a log stream.`);
  }
  return { log_stream_id: `lgs_${rest}` };
}
