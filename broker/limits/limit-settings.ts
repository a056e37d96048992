import { whole } from "../setting-schemas.ts";

const most = 1_000_000;

/** What one owner may have or ask at once. No honest user meets a default; each refusal names its setting. */
export const limitSettings = {
  SVC_MAX_CONNECTIONS_PER_ADDRESS: {
    schema: whole(0, most).optional(),
    doc: "The most clients connected at once from one address, 503 past it; half of all, unless told; 0 for no limit. Not for trusted proxies.",
  },
  SVC_MAX_POLLS_PER_ORG: {
    schema: whole(0, most).default(20_000),
    doc: "Polls that one org may have parked at one broker, 429 past it; 0 for no limit. A broker parks 25,000 in all.",
  },
  SVC_MAX_POLLS_PER_RUNNER: {
    schema: whole(0, most).default(1000),
    doc: "Polls that one runner may have parked at one broker, 429 past it; 0 for no limit.",
  },
  SVC_MAX_FOLLOWERS_PER_TOKEN: {
    schema: whole(0, most).default(1000),
    doc: "Logs that one token may follow at once through one broker, 429 past it; 0 for no limit.",
  },
  SVC_MAX_FOLLOWERS_PER_ORG: {
    schema: whole(0, most).default(4000),
    doc: "The same of one org; 0 for no limit.",
  },
  SVC_MAX_WAITS_PER_TOKEN: {
    schema: whole(0, most).default(2000),
    doc: "Waits for a job's end or for job events that one token may have at one broker, 429 past it; 0 for no limit.",
  },
  SVC_MAX_WAITS_PER_ORG: {
    schema: whole(0, most).default(8000),
    doc: "The same of one org; 0 for no limit.",
  },
  SVC_MAX_PROCESSES_PER_RUNNER: {
    schema: whole(0, most).default(100),
    doc: "Processes of one runner that may be pending or alive, 429 past it; 0 for no limit. A takeover is never refused by it.",
  },
  SVC_MAX_REQUESTS_PER_TOKEN: {
    schema: whole(0, most).default(1000),
    doc: "Requests of one token that use or await the database at once through one broker, 429 past it; 0 for no limit.",
  },
  SVC_MAX_REQUESTS_PER_ORG: {
    schema: whole(0, most).default(4000),
    doc: "The same of one org; 0 for no limit.",
  },
  SVC_RESCUED_STATES_ORG_MIB: {
    schema: whole(0, 1_048_576).default(8192),
    doc: "What states of one org that terraform could not write may take while they wait, 409 past it; 0 for no limit.",
  },
  SVC_LOCK_WAIT_MS: {
    schema: whole(0, 30_000).default(1000),
    doc: "How long a statement waits for a row that others are changing, 429 `busy` past it; 0 for as long as it takes.",
  },
  SVC_RATE_GUESSES_PER_S: {
    schema: whole(0, most).default(20),
    doc: "Tokens a second that one address may try that are unknown, on average over ten seconds; 0 for no limit. Behind a proxy set SVC_TRUSTED_PROXIES, or all clients count as one address.",
  },
} as const;

type Read = {
  readonly [Name in (typeof limitTable)[LimitName]["setting"]]: number;
};

/** The bounds as they are set; 0 is no limit. */
export type LimitsConfig = Readonly<Record<LimitName, number>>;

/** What is bounded: the setting that says how much, and the words of a refusal. */
export const limitTable = {
  polls_of_org: {
    setting: "SVC_MAX_POLLS_PER_ORG",
    has: (n: number) => `This org has ${n} polls parked at this broker`,
    next: "Start fewer processes, or try again when some of its polls have ended.",
  },
  polls_of_runner: {
    setting: "SVC_MAX_POLLS_PER_RUNNER",
    has: (n: number) => `This runner has ${n} polls parked at this broker`,
    next: "Keep one poll for each process and group, and let it end before the next.",
  },
  followers_of_token: {
    setting: "SVC_MAX_FOLLOWERS_PER_TOKEN",
    has: (n: number) => `This token follows ${n} logs through this broker`,
    next: "Close streams that nobody reads, or read them by pages.",
  },
  followers_of_org: {
    setting: "SVC_MAX_FOLLOWERS_PER_ORG",
    has: (n: number) => `This org follows ${n} logs through this broker`,
    next: "Close streams that nobody reads, or read them by pages.",
  },
  waits_of_token: {
    setting: "SVC_MAX_WAITS_PER_TOKEN",
    has: (n: number) => `This token has ${n} waits for jobs or job events at this broker`,
    next: "Follow all jobs of the org with one GET /v1/job-events.",
  },
  waits_of_org: {
    setting: "SVC_MAX_WAITS_PER_ORG",
    has: (n: number) => `This org has ${n} waits for jobs or job events at this broker`,
    next: "Follow all jobs of the org with one GET /v1/job-events.",
  },
  processes_of_runner: {
    setting: "SVC_MAX_PROCESSES_PER_RUNNER",
    has: (n: number) => `This runner has ${n} processes that are pending or alive`,
    next: "Stop some of them, or take one over; a process that stays silent does not count after a minute.",
  },
  requests_of_token: {
    setting: "SVC_MAX_REQUESTS_PER_TOKEN",
    has: (n: number) => `This token has ${n} requests that use or await the database`,
    next: "Send fewer at once.",
  },
  requests_of_org: {
    setting: "SVC_MAX_REQUESTS_PER_ORG",
    has: (n: number) => `This org has ${n} requests that use or await the database`,
    next: "Send fewer at once.",
  },
  guesses_of_address: {
    setting: "SVC_RATE_GUESSES_PER_S",
    has: (n: number) => `This address tried more than ${n} unknown tokens a second`,
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

/** The settings by what they bound. */
export function limitsOf(read: Read): LimitsConfig {
  const entries = Object.entries(limitTable).map(([name, { setting }]) => [name, read[setting]]);
  return Object.freeze(Object.fromEntries(entries)) as LimitsConfig; // one entry for each name of the table
}
