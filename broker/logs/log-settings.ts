import { whole } from "../setting-schemas.ts";

/** How much may be logged, and for how long it is kept. */
export const logSettings = {
  SVC_RETAIN_LOGS_DAYS: {
    schema: whole(1, 3650).default(30),
    doc: "Days after which log records are deleted.",
  },
  SVC_LOG_STREAM_MIB: {
    schema: whole(1, 65_536).default(256),
    doc: "Maximum size of one log stream. Beyond it records are dropped from the middle, never from the end.",
  },
  SVC_LOG_STREAM_KIB_PER_S: {
    schema: whole(0, 1_048_576).default(4096),
    doc: "Bytes per second that one log stream may write through one broker on average; more gets 429. 0 for no limit.",
  },
  SVC_LOG_ORG_KIB_PER_S: {
    schema: whole(0, 1_048_576).default(32_768),
    doc: "Bytes per second that all log streams of one org may write through one broker; more gets 429. 0 for no limit.",
  },
  SVC_LOG_ORG_MIB_PER_DAY: {
    schema: whole(0, 1_073_741_824).default(0),
    doc: "How much one org may log per day (UTC). Beyond it each stream keeps only 1 MiB. 0 for no limit.",
  },
} as const;

/** How much may be logged; 0 is no limit. */
export type LogLimits = Readonly<
  Record<"streamBytes" | "streamBytesPerS" | "orgBytesPerS" | "orgBytesPerDay", number>
>;

type Read = Readonly<Record<Exclude<keyof typeof logSettings, "SVC_RETAIN_LOGS_DAYS">, number>>;

/** The limits in bytes. */
export function logLimitsOf(read: Read): LogLimits {
  return {
    streamBytes: read.SVC_LOG_STREAM_MIB * 1024 ** 2,
    streamBytesPerS: read.SVC_LOG_STREAM_KIB_PER_S * 1024,
    orgBytesPerS: read.SVC_LOG_ORG_KIB_PER_S * 1024,
    orgBytesPerDay: read.SVC_LOG_ORG_MIB_PER_DAY * 1024 ** 2,
  };
}
