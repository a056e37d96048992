import { z } from "zod";
import { OperatorError } from "../shared/operator-error.ts";
import { limitSettings, type LimitsConfig, limitsOf } from "./limits/limit-settings.ts";
import { httpUrl, postgresUrl, whole, words } from "./setting-schemas.ts";
import {
  type CollectorConfig,
  collectorOf,
  collectorSettings,
} from "./telemetry/collector-settings.ts";

type Setting = { readonly schema: z.ZodType; readonly doc: string };

/** Every setting of the broker: its variable, what it admits, what it is for. Optional ones may be absent. */
export const settings = {
  DATABASE_URL: {
    schema: postgresUrl,
    doc: "The Postgres database (15 to 18) that all replicas share.",
  },
  SVC_HOST: { schema: z.string().default("127.0.0.1"), doc: "The address to listen on." },
  SVC_PORT: {
    schema: whole(0, 65_535).default(8420),
    doc: "The port to listen on; 0 takes a free one.",
  },
  SVC_PUBLIC_URL: {
    schema: httpUrl.optional(),
    doc: "The URL that clients reach the broker by; where it listens, unless told.",
  },
  SVC_TLS_CERT_FILE: {
    schema: z.string().min(1).optional(),
    doc: "A PEM certificate chain; with the key, the broker speaks HTTPS itself.",
  },
  SVC_TLS_KEY_FILE: {
    schema: z.string().min(1).optional(),
    doc: "The certificate's private key, PEM.",
  },
  SVC_TRUSTED_PROXIES: {
    schema: words.default([]),
    doc: "Addresses or networks (10.0.0.0/8,::1) whose X-Forwarded-For and -Proto are believed.",
  },
  SVC_LOG_LEVEL: {
    schema: z
      .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], {
        error: "must be one of trace, debug, info, warn, error, fatal, silent",
      })
      .default("info"),
    doc: "The least level that is logged; polls and beats are logged at debug.",
  },
  SVC_POOL_SIZE: {
    schema: whole(2, 200).default(10),
    doc: "The most database connections of one broker.",
  },
  SVC_MAX_CONNECTIONS: {
    schema: whole(10, 1_000_000).optional(),
    doc: "The most clients connected at once, 503 past it; 80 % of the file limit, unless told.",
  },
  SVC_RATE_TOKEN_PER_S: {
    schema: whole(0, 1_000_000).default(200),
    doc: "Requests a second that one token may make on average; 0 for no limit. Polls and beats are free.",
  },
  SVC_RATE_ORG_PER_S: {
    schema: whole(0, 1_000_000).default(2000),
    doc: "Requests a second that one org may make on average; 0 for no limit.",
  },
  ...limitSettings,
  SVC_BODIES_MIB: {
    schema: whole(1, 65_536).default(128),
    doc: "What large bodies under way take of one broker, and as much what large answers do; others wait, then 503.",
  },
  SVC_BODIES_ORG_MIB: {
    schema: whole(1, 65_536).default(64),
    doc: "Of that, what one org may take, 429 past it; a single larger body passes when the org has no other.",
  },
  SVC_BODIES_TOKEN_MIB: {
    schema: whole(1, 65_536).default(64),
    doc: "Of that, what one token may take, 429 past it; a single larger body passes when the token has no other.",
  },
  SVC_RETAIN_JOBS_DAYS: {
    schema: whole(1, 3650).default(90),
    doc: "Days after which a job that has ended is deleted with all that belongs to it.",
  },
  SVC_RETAIN_BEATS_DAYS: {
    schema: whole(1, 3650).default(7),
    doc: "Days after which heart-beat minutes, health checks and processes that ended are deleted.",
  },
  SVC_RETAIN_HISTORY_DAYS: {
    schema: whole(1, 3650).default(90),
    doc: "Days after which the status histories of runners, processes and shutdowns are deleted.",
  },
  SVC_SEAL_KEYS: {
    schema: z.string().min(1).optional(),
    doc: "What seals state and plans: file:PATH, command:PROGRAM ARG… or none. A broker does not start without it.",
  },
  SVC_KEEP_STATE_REVISIONS: {
    schema: whole(0, 1_000_000).default(0),
    doc: "The newest revisions that are kept of each workspace's state; 0 keeps all.",
  },
  SVC_RETAIN_DELETED_WORKSPACES_DAYS: {
    schema: whole(0, 3650).default(14),
    doc: "Days for which a deleted workspace can be restored, with all revisions of its state.",
  },
  SVC_RETAIN_LOGS_DAYS: {
    schema: whole(1, 3650).default(30),
    doc: "Days after which what was written to log streams is deleted.",
  },
  SVC_LOG_STREAM_MIB: {
    schema: whole(1, 65_536).default(256),
    doc: "How much one log stream keeps; past it the middle is dropped, never the end.",
  },
  SVC_LOG_STREAM_KIB_PER_S: {
    schema: whole(0, 1_048_576).default(4096),
    doc: "What one log stream takes a second on average through one broker, 429 past it; 0 for no limit.",
  },
  SVC_LOG_ORG_KIB_PER_S: {
    schema: whole(0, 1_048_576).default(32_768),
    doc: "What the log streams of one org take a second together through one broker; 0 for no limit.",
  },
  SVC_LOG_ORG_MIB_PER_DAY: {
    schema: whole(0, 1_073_741_824).default(0),
    doc: "What one org may log in a day (UTC); past it a stream keeps 1 MiB. 0 for no limit.",
  },
  SVC_RETAIN_TELEMETRY_DAYS: {
    schema: whole(1, 3650).default(14),
    doc: "Days after which spans and metrics of runners and jobs are deleted.",
  },
  ...collectorSettings,
  SVC_METRICS_TOKEN: {
    schema: z.string().min(16, "must have 16 characters at least").optional(),
    doc: "A bearer token that /metrics asks for; open to anyone who can reach it, unless told.",
  },
  SVC_DRAIN_LINGER_MS: {
    schema: whole(0, 60_000).default(5000),
    doc: "How long a stopping broker still serves after /readyz turned 503, so that a balancer notices.",
  },
} as const satisfies Record<string, Setting>;

type Settings = {
  readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]["schema"]>;
};

/** How much may be logged; 0 is no limit. */
export type LogLimits = Readonly<
  Record<"streamBytes" | "streamBytesPerS" | "orgBytesPerS" | "orgBytesPerDay", number>
>;

/** How many bytes of large bodies may be in memory at once. */
export type BodyLimits = Readonly<Record<"brokerBytes" | "orgBytes" | "tokenBytes", number>>;

/** The broker's settings, checked and frozen. */
export type Config = Readonly<{
  databaseUrl: string;
  host: string;
  port: number;
  publicUrl: string | undefined;
  tls: { certFile: string; keyFile: string } | undefined;
  trustedProxies: readonly string[];
  logLevel: Settings["SVC_LOG_LEVEL"];
  poolSize: number;
  maxConnections: number | undefined;
  maxConnectionsPerAddress: number | undefined;
  rateTokenPerS: number;
  rateOrgPerS: number;
  limits: LimitsConfig;
  lockWaitMs: number;
  bodies: BodyLimits;
  retainJobsDays: number;
  retainBeatsDays: number;
  retainHistoryDays: number;
  retainLogsDays: number;
  logLimits: LogLimits;
  sealKeys: string | undefined;
  keepStateRevisions: number;
  rescuedOrgMib: number;
  retainDeletedWorkspacesDays: number;
  retainTelemetryDays: number;
  collector: CollectorConfig;
  metricsToken: string | undefined;
  drainLingerMs: number;
}>;

/** Reads the settings; an OperatorError names each variable, what is wrong with it and what is allowed. */
export function readConfig(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config {
  const read = readSettings(env);
  return Object.freeze({
    databaseUrl: read.DATABASE_URL,
    host: read.SVC_HOST,
    port: read.SVC_PORT,
    publicUrl: read.SVC_PUBLIC_URL,
    tls: pairOf(read.SVC_TLS_CERT_FILE, read.SVC_TLS_KEY_FILE),
    trustedProxies: read.SVC_TRUSTED_PROXIES,
    logLevel: read.SVC_LOG_LEVEL,
    poolSize: read.SVC_POOL_SIZE,
    maxConnections: read.SVC_MAX_CONNECTIONS,
    maxConnectionsPerAddress: read.SVC_MAX_CONNECTIONS_PER_ADDRESS,
    rateTokenPerS: read.SVC_RATE_TOKEN_PER_S,
    rateOrgPerS: read.SVC_RATE_ORG_PER_S,
    limits: limitsOf(read),
    lockWaitMs: read.SVC_LOCK_WAIT_MS,
    bodies: {
      brokerBytes: read.SVC_BODIES_MIB * 1024 ** 2,
      orgBytes: read.SVC_BODIES_ORG_MIB * 1024 ** 2,
      tokenBytes: read.SVC_BODIES_TOKEN_MIB * 1024 ** 2,
    },
    retainJobsDays: read.SVC_RETAIN_JOBS_DAYS,
    retainBeatsDays: read.SVC_RETAIN_BEATS_DAYS,
    retainHistoryDays: read.SVC_RETAIN_HISTORY_DAYS,
    retainLogsDays: read.SVC_RETAIN_LOGS_DAYS,
    logLimits: {
      streamBytes: read.SVC_LOG_STREAM_MIB * 1024 ** 2,
      streamBytesPerS: read.SVC_LOG_STREAM_KIB_PER_S * 1024,
      orgBytesPerS: read.SVC_LOG_ORG_KIB_PER_S * 1024,
      orgBytesPerDay: read.SVC_LOG_ORG_MIB_PER_DAY * 1024 ** 2,
    },
    sealKeys: read.SVC_SEAL_KEYS,
    keepStateRevisions: read.SVC_KEEP_STATE_REVISIONS,
    rescuedOrgMib: read.SVC_RESCUED_STATES_ORG_MIB,
    retainDeletedWorkspacesDays: read.SVC_RETAIN_DELETED_WORKSPACES_DAYS,
    retainTelemetryDays: read.SVC_RETAIN_TELEMETRY_DAYS,
    collector: collectorOf(read),
    metricsToken: read.SVC_METRICS_TOKEN,
    drainLingerMs: read.SVC_DRAIN_LINGER_MS,
  });
}

/** An empty variable is an absent one. A value is never repeated in an error: it may hold a password. */
function readSettings(env: Readonly<Record<string, string | undefined>>): Settings {
  const wrong: string[] = [];
  const entries = Object.entries(settings).map(([name, { schema }]) => {
    const given = env[name] === "" ? undefined : env[name];
    const parsed = (schema as z.ZodType).safeParse(given);
    if (!parsed.success) {
      const fault = parsed.error.issues[0]?.message ?? "is wrong";
      wrong.push(`${name} ${given === undefined ? "is missing" : fault}`);
    }
    return [name, parsed.data];
  });
  if (wrong.length > 0) throw new OperatorError(`${wrong.join("; ")}.`);
  return Object.fromEntries(entries) as Settings; // each entry was made by its own schema
}

function pairOf(certFile: string | undefined, keyFile: string | undefined): Config["tls"] {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined || keyFile === undefined) {
    throw new OperatorError(
      "SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE go together: set both or neither.",
    );
  }
  return { certFile, keyFile };
}
