import { whole } from "../setting-schemas.ts";

const most = 1_000_000;

/** What one owner may have or request at once. Normal use does not reach the defaults; each refusal names its setting. */
export const limitSettings = {
  SVC_MAX_CONNECTIONS_PER_ADDRESS: {
    schema: whole(0, most).optional(),
    doc: "Maximum number of connections from one address; more get 503. Default: half of all. 0 for no limit. Trusted proxies are exempt.",
  },
  SVC_MAX_POLLS_PER_ORG: {
    schema: whole(0, most).default(20_000),
    doc: "Maximum number of parked polls of one org at one broker; more get 429. 0 for no limit. A broker parks at most 25,000 polls.",
  },
  SVC_MAX_POLLS_PER_RUNNER: {
    schema: whole(0, most).default(1000),
    doc: "Maximum number of parked polls of one runner at one broker; more get 429. 0 for no limit.",
  },
  SVC_MAX_CLAIMS_PER_ORG: {
    schema: whole(0, most).default(20_000),
    doc: "Maximum number of parked claims of signals of one org at one broker; more get 429. 0 for no limit. A broker parks at most 25,000 claims.",
  },
  SVC_MAX_CLAIMS_PER_QUEUE: {
    schema: whole(0, most).default(1000),
    doc: "Maximum number of parked claims of one queue of signals at one broker; more get 429. 0 for no limit.",
  },
  SVC_MAX_FOLLOWERS_PER_TOKEN: {
    schema: whole(0, most).default(1000),
    doc: "Maximum number of logs that one token may follow at once at one broker; more get 429. 0 for no limit.",
  },
  SVC_MAX_FOLLOWERS_PER_ORG: {
    schema: whole(0, most).default(4000),
    doc: "The same of one org; 0 for no limit.",
  },
  SVC_MAX_WAITS_PER_TOKEN: {
    schema: whole(0, most).default(2000),
    doc: "Maximum number of waits of one token for a job's end or for job events at one broker; more get 429. 0 for no limit.",
  },
  SVC_MAX_WAITS_PER_ORG: {
    schema: whole(0, most).default(8000),
    doc: "The same of one org; 0 for no limit.",
  },
  SVC_MAX_PROCESSES_PER_RUNNER: {
    schema: whole(0, most).default(100),
    doc: "Maximum number of pending and live processes of one runner; more get 429. 0 for no limit. It never refuses a takeover.",
  },
  SVC_MAX_EMITTERS_PER_ORG: {
    schema: whole(0, most).default(100_000),
    doc: "Maximum number of emitters of one org; more get 429. 0 for no limit. Those that are done count until they are deleted.",
  },
  SVC_MAX_QUEUES_PER_ORG: {
    schema: whole(0, most).default(10_000),
    doc: "Maximum number of queues of signals of one org; more get 429. 0 for no limit. The queues of runners do not count.",
  },
  SVC_SIGNALS_ORG_MIB: {
    schema: whole(0, 16_777_216).default(8192),
    doc: "How much the signals in all queues of one org may have together, each counted as its data and 1 KiB; beyond it more get 429 `org_queues_full`. 0 for no limit. It is looked at about every ten seconds.",
  },
  SVC_MAX_REQUESTS_PER_TOKEN: {
    schema: whole(0, most).default(1000),
    doc: "Maximum number of requests of one token that use or wait for the database at one broker; more get 429. 0 for no limit.",
  },
  SVC_MAX_REQUESTS_PER_ORG: {
    schema: whole(0, most).default(4000),
    doc: "The same of one org; 0 for no limit.",
  },
  SVC_RESCUED_STATES_ORG_MIB: {
    schema: whole(0, 1_048_576).default(8192),
    doc: "Maximum size of all rescued states of one org; more get 409. 0 for no limit.",
  },
  SVC_LOCK_WAIT_MS: {
    schema: whole(0, 30_000).default(1000),
    doc: "How long a statement waits for a row lock; after that the request gets 429 `busy`. 0 waits without a limit.",
  },
  SVC_RATE_GUESSES_PER_S: {
    schema: whole(0, most).default(20),
    doc: "Unknown tokens that one address may try per second, on average over ten seconds; 0 for no limit. Behind a proxy, set SVC_TRUSTED_PROXIES, or all clients count as one address.",
  },
} as const;

type Read = {
  readonly [Name in (typeof limitTable)[LimitName]["setting"]]: number;
};

/** The limits as they are set; 0 means no limit. */
export type LimitsConfig = Readonly<Record<LimitName, number>>;

/** Each limit: its setting, and the text of its refusal. */
export const limitTable = {
  polls_of_org: {
    setting: "SVC_MAX_POLLS_PER_ORG",
    has: (n: number) => `This org has ${n} polls parked at this broker`,
    next: "Start fewer processes, or try again when some polls have ended.",
  },
  polls_of_runner: {
    setting: "SVC_MAX_POLLS_PER_RUNNER",
    has: (n: number) => `This runner has ${n} polls parked at this broker`,
    next: "Keep one poll per process and group, and wait for its end before the next one.",
  },
  claims_of_org: {
    setting: "SVC_MAX_CLAIMS_PER_ORG",
    has: (n: number) => `This org has ${n} claims of signals parked at this broker`,
    next: "Start fewer workers, or try again when some claims have ended.",
  },
  claims_of_queue: {
    setting: "SVC_MAX_CLAIMS_PER_QUEUE",
    has: (n: number) => `This queue has ${n} claims parked at this broker`,
    next: "More workers than max_in_flight get no more signals. Let one claim ask for several.",
  },
  followers_of_token: {
    setting: "SVC_MAX_FOLLOWERS_PER_TOKEN",
    has: (n: number) => `This token follows ${n} logs through this broker`,
    next: "Close unused streams, or read logs page by page.",
  },
  followers_of_org: {
    setting: "SVC_MAX_FOLLOWERS_PER_ORG",
    has: (n: number) => `This org follows ${n} logs through this broker`,
    next: "Close unused streams, or read logs page by page.",
  },
  waits_of_token: {
    setting: "SVC_MAX_WAITS_PER_TOKEN",
    has: (n: number) => `This token has ${n} waits for jobs, workflows or signals at this broker`,
    next: "Use one GET /v1/job-events to follow all jobs of the org, or webhooks.",
  },
  waits_of_org: {
    setting: "SVC_MAX_WAITS_PER_ORG",
    has: (n: number) => `This org has ${n} waits for jobs, workflows or signals at this broker`,
    next: "Use one GET /v1/job-events to follow all jobs of the org, or webhooks.",
  },
  processes_of_runner: {
    setting: "SVC_MAX_PROCESSES_PER_RUNNER",
    has: (n: number) => `This runner has ${n} processes that are pending or alive`,
    next: "Stop some of them or take one over. A process without a heartbeat stops counting after one minute.",
  },
  emitters_of_org: {
    setting: "SVC_MAX_EMITTERS_PER_ORG",
    has: (n: number) => `This org has ${n} emitters`,
    next: "Delete those that are done or no longer needed.",
  },
  queues_of_org: {
    setting: "SVC_MAX_QUEUES_PER_ORG",
    has: (n: number) => `This org has ${n} queues`,
    next: "Delete unused queues, or share one queue between owners.",
  },
  requests_of_token: {
    setting: "SVC_MAX_REQUESTS_PER_TOKEN",
    has: (n: number) => `This token has ${n} requests that use or wait for the database`,
    next: "Send fewer at once.",
  },
  requests_of_org: {
    setting: "SVC_MAX_REQUESTS_PER_ORG",
    has: (n: number) => `This org has ${n} requests that use or wait for the database`,
    next: "Send fewer at once.",
  },
  guesses_of_address: {
    setting: "SVC_RATE_GUESSES_PER_S",
    has: (n: number) => `This address tried more than ${n} unknown tokens per second`,
    next: "Check the token that its clients send.",
  },
} as const satisfies Record<
  string,
  {
    readonly setting: keyof typeof limitSettings;
    readonly has: (most: number) => string;
    readonly next: string;
  }
>;

export type LimitName = keyof typeof limitTable;

/** The settings by limit. */
export function limitsOf(read: Read): LimitsConfig {
  const entries = Object.entries(limitTable).map(([name, { setting }]) => [name, read[setting]]);
  return Object.freeze(Object.fromEntries(entries)) as LimitsConfig; // one entry for each name of the table
}
