import { z } from "zod";
import type { Brands } from "../shared/brands.ts";
import { predicate } from "../shared/issue-words.ts";
import { OperatorError } from "../shared/operator-error.ts";
import { brandSettings } from "./brand-settings.ts";
import type { EgressRules } from "./egress/egress-rules.ts";
import { egressSettings } from "./egress/egress-settings.ts";
import { limitSettings, type LimitsConfig, limitsOf } from "./limits/limit-settings.ts";
import { type LogLimits, logLimitsOf, logSettings } from "./logs/log-settings.ts";
import { type OidcConfig, oidcOf, oidcSettings } from "./oidc/oidc-settings.ts";
import { type OpaPlaces, opaSettings } from "./policies/opa-settings.ts";
import { type RegistryConfig, registryOf, registrySettings } from "./registry/registry-settings.ts";
import { retentionSettings } from "./retention/retention-settings.ts";
import { httpUrl, postgresUrl, whole, words } from "./setting-schemas.ts";
import { type RetainStatsDays, retainStatsDaysOf, statsSettings } from "./stats/stats-settings.ts";
import {
  type CollectorConfig,
  collectorOf,
  collectorSettings,
} from "./telemetry/collector-settings.ts";
import { type TlsConfig, tlsOf, tlsSettings } from "./tls-settings.ts";
import { workProcessesOf, workSettings } from "./work-pool/work-settings.ts";

type Setting = { readonly schema: z.ZodType; readonly doc: string };

/** Every setting of the broker: its variable, what it admits, what it is for. Optional ones may be absent. */
export const settings = {
  DATABASE_URL: {
    schema: postgresUrl,
    doc: "URL of the Postgres database (version 15 to 18) that all brokers share.",
  },
  SVC_HOST: { schema: z.string().default("127.0.0.1"), doc: "The address to listen on." },
  SVC_PORT: {
    schema: whole(0, 65_535).default(8420),
    doc: "The port to listen on; 0 picks a free port.",
  },
  SVC_PUBLIC_URL: {
    schema: httpUrl.optional(),
    doc: "The URL at which clients reach the broker. Default: the address it listens on.",
  },
  ...tlsSettings,
  SVC_TRUSTED_PROXIES: {
    schema: words.default([]),
    doc: "Addresses or networks of proxies (10.0.0.0/8,::1) whose X-Forwarded-For and X-Forwarded-Proto are trusted.",
  },
  SVC_LOG_LEVEL: {
    schema: z
      .enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"], {
        error: "must be one of trace, debug, info, warn, error, fatal, silent",
      })
      .default("info"),
    doc: "The lowest log level that is written. Polls and heartbeats are logged at debug.",
  },
  SVC_POOL_SIZE: {
    schema: whole(2, 200).default(10),
    doc: "Maximum number of database connections of one broker.",
  },
  SVC_MAX_CONNECTIONS: {
    schema: whole(10, 1_000_000).optional(),
    doc: "Maximum number of client connections; more get 503. Default: 80 % of the open-file limit.",
  },
  SVC_RATE_TOKEN_PER_S: {
    schema: whole(0, 1_000_000).default(200),
    doc: "Requests per second that one token may make on average; 0 for no limit. Polls and heartbeats do not count.",
  },
  SVC_RATE_ORG_PER_S: {
    schema: whole(0, 1_000_000).default(2000),
    doc: "Requests per second that one org may make on average; 0 for no limit.",
  },
  ...limitSettings,
  SVC_BODIES_MIB: {
    schema: whole(1, 65_536).default(128),
    doc: "Memory of one broker for large request bodies, the same again for configs, and for large answers. Requests beyond it wait, then get 503.",
  },
  SVC_BODIES_ORG_MIB: {
    schema: whole(1, 65_536).default(64),
    doc: "How much of that one org may use; more gets 429. One larger body is accepted when the org has no other.",
  },
  SVC_BODIES_TOKEN_MIB: {
    schema: whole(1, 65_536).default(64),
    doc: "How much of that one token may use; more gets 429. One larger body is accepted when the token has no other.",
  },
  ...retentionSettings,
  ...statsSettings,
  SVC_SEAL_KEYS: {
    schema: z.string().min(1).optional(),
    doc: "Source of the keys that encrypt state and plans: file:PATH, command:PROGRAM ARG… or none. Required: a broker does not start without it.",
  },
  SVC_RETAIN_DELETED_WORKSPACES_DAYS: {
    schema: whole(0, 3650).default(14),
    doc: "Days for which a deleted workspace can be restored, with all revisions of its state.",
  },
  ...logSettings,
  SVC_RETAIN_TELEMETRY_DAYS: {
    schema: whole(1, 3650).default(14),
    doc: "Days after which spans and metrics of runners and jobs are deleted.",
  },
  ...collectorSettings,
  ...egressSettings,
  SVC_SIGNALS_AT_ONCE: {
    schema: whole(4, 1000).default(64),
    doc: "How many signals and callbacks one broker executes at once: those of built-in types. One org has at most a quarter of them.",
  },
  ...workSettings,
  SVC_SESSION_HOURS: {
    schema: whole(1, 720).default(12),
    doc: "Hours after which a browser has to sign in to the dashboard again.",
  },
  ...oidcSettings,
  ...brandSettings,
  ...registrySettings,
  ...opaSettings,
  SVC_METRICS_TOKEN: {
    schema: z.string().min(16, "must have at least 16 characters").optional(),
    doc: "Bearer token that /metrics requires. Default: none, so /metrics is open to everyone who can reach the broker.",
  },
  SVC_DRAIN_LINGER_MS: {
    schema: whole(0, 60_000).default(5000),
    doc: "How long a stopping broker keeps serving after /readyz turned 503, so that load balancers notice.",
  },
} as const satisfies Record<string, Setting>;

type Settings = {
  readonly [Name in keyof typeof settings]: z.output<(typeof settings)[Name]["schema"]>;
};

/** How many bytes of large bodies may be in memory at once. */
export type BodyLimits = Readonly<Record<"brokerBytes" | "orgBytes" | "tokenBytes", number>>;

/** The broker's settings, checked and frozen. */
export type Config = Readonly<{
  databaseUrl: string;
  host: string;
  port: number;
  publicUrl: string | undefined;
  tls: TlsConfig | undefined;
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
  retainSignalsDays: number;
  retainEventsDays: number;
  retainBeatsDays: number;
  retainHistoryDays: number;
  retainStatsDays: RetainStatsDays;
  retainAuditDays: number;
  retainLogsDays: number;
  logLimits: LogLimits;
  sealKeys: string | undefined;
  keepStateRevisions: number;
  keepBuilds: number;
  rescuedOrgMib: number;
  signalsOrgMib: number;
  retainDeletedWorkspacesDays: number;
  retainTelemetryDays: number;
  collector: CollectorConfig;
  egress: EgressRules;
  signalsAtOnce: number;
  workProcesses: number;
  workNice: number;
  sessionHours: number;
  oidc: OidcConfig | undefined;
  brands: Brands;
  registry: RegistryConfig | undefined;
  opa: OpaPlaces;
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
    tls: tlsOf(read),
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
    retainSignalsDays: read.SVC_RETAIN_SIGNALS_DAYS,
    retainEventsDays: read.SVC_RETAIN_EVENTS_DAYS,
    retainBeatsDays: read.SVC_RETAIN_BEATS_DAYS,
    retainHistoryDays: read.SVC_RETAIN_HISTORY_DAYS,
    retainStatsDays: retainStatsDaysOf(read),
    retainAuditDays: read.SVC_RETAIN_AUDIT_DAYS,
    retainLogsDays: read.SVC_RETAIN_LOGS_DAYS,
    logLimits: logLimitsOf(read),
    sealKeys: read.SVC_SEAL_KEYS,
    keepStateRevisions: read.SVC_KEEP_STATE_REVISIONS,
    keepBuilds: read.SVC_KEEP_BUILDS,
    rescuedOrgMib: read.SVC_RESCUED_STATES_ORG_MIB,
    signalsOrgMib: read.SVC_SIGNALS_ORG_MIB,
    retainDeletedWorkspacesDays: read.SVC_RETAIN_DELETED_WORKSPACES_DAYS,
    retainTelemetryDays: read.SVC_RETAIN_TELEMETRY_DAYS,
    collector: collectorOf(read),
    egress: { mode: read.SVC_EGRESS, opened: read.SVC_EGRESS_ALLOW },
    signalsAtOnce: read.SVC_SIGNALS_AT_ONCE,
    workProcesses: workProcessesOf(read.SVC_WORK_PROCESSES),
    workNice: read.SVC_WORK_NICE,
    sessionHours: read.SVC_SESSION_HOURS,
    oidc: oidcOf(read),
    brands: read.SVC_BRANDS,
    registry: registryOf(read),
    opa: { named: read.SVC_OPA, search: env["PATH"] ?? "" },
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
      const fault = predicate(parsed.error.issues[0]?.message);
      wrong.push(`${name} ${given === undefined ? "is missing" : fault}`);
    }
    return [name, parsed.data];
  });
  if (wrong.length > 0) throw new OperatorError(`${wrong.join("; ")}.`);
  return Object.fromEntries(entries) as Settings; // each entry was made by its own schema
}
