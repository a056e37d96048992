import { z } from "zod";
import { consentSettings } from "./consent-settings.ts";
import { executorSettings } from "./executor-settings.ts";
import {
  count,
  durationMs,
  groupSlots,
  httpUrl,
  memorySize,
  port,
  processCount,
  sizeBytes,
  text,
  userRange,
  words,
} from "./parsers.ts";
import type { Setting } from "./setting.ts";
import { toolSettings } from "./tool-settings.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/**
 * Every setting of the agent by its name: `--broker-url`, SVC_AGENT_BROKER_URL and `broker-url = …` in the file of
 * `--config`. Parsing, help and docs/agent.md are made from this.
 */
export const settings = {
  "broker-url": { value: "URL", schema: httpUrl, doc: "The broker's URL." },
  "token-file": {
    value: "FILE",
    schema: text,
    doc: "Where the runner's token, or a one-shot enrolment token, is read; read again when it is refused.",
  },
  token: {
    value: "TOKEN",
    schema: text,
    isSecret: true,
    doc: "The token itself, where no file can be had. The agent takes it out of its environment at once, and refuses it where a process above it still shows it.",
  },
  runner: {
    value: "ID",
    schema: z.string().regex(/^run_[0-9a-z]{26}$/, "must be a runner's id: run_…"),
    doc: "The runner to be; the one that the token is bound to, unless told.",
  },
  mode: {
    value: "MODE",
    schema: words("install", "build", "org", "mng"),
    byDefault: "install",
    doc: "What kind of process this is: install, build, org or mng. It says which groups of jobs it serves.",
  },
  groups: {
    value: "GROUP=SLOTS,…",
    schema: groupSlots,
    doc: "The groups to serve and how many jobs of each at once; those of its mode, as many as the runner's settings allow, unless told.",
  },
  "data-dir": {
    value: "DIR",
    schema: text,
    byDefault: "/var/lib/svc-agent",
    doc: "Where the agent keeps what must outlive it: results, logs not sent yet, an enrolled token. One agent, one directory.",
  },
  "work-dir": {
    value: "DIR",
    schema: text,
    doc: "Where jobs get their workspaces; work/ in the data directory, unless told.",
  },
  "run-dir": {
    value: "DIR",
    schema: text,
    doc: "A directory in memory (tmpfs) for the output of running jobs; $XDG_RUNTIME_DIR or /dev/shm, unless told.",
  },
  "job-user": {
    value: "UID-UID",
    schema: userRange,
    doc: "The users that jobs run as, by their numbers: one for each job at a time, and nothing else's. The agent must be root. Jobs run as the agent's own user, unless told.",
  },
  "job-cgroups": {
    value: "auto|on|off",
    schema: words("auto", "on", "off"),
    byDefault: "auto",
    doc: "Whether each job gets a cgroup (version 2) of its own, of which everything is killed at its end: where that is possible, always (the agent does not start without), or never.",
  },
  "job-memory-max": {
    value: "SIZE",
    schema: memorySize,
    doc: "How much memory the processes of one job may use together, 16MiB or more; needs a cgroup with the memory controller.",
  },
  "job-pids-max": {
    value: "NUMBER",
    schema: processCount,
    doc: "How many processes and threads one job may have at once, 8 or more; needs a cgroup with the pids controller.",
  },
  "ca-file": {
    value: "FILE",
    schema: text,
    doc: "PEM certificates to trust besides the usual ones, in the agent and in its jobs.",
  },
  "watch-port": {
    value: "PORT",
    schema: port,
    byDefault: "9180",
    doc: "Where 127.0.0.1 answers /livez, /readyz, /metrics and /status.json; 0 for nowhere, auto for a free port.",
  },
  "log-level": {
    value: "LEVEL",
    schema: words("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    byDefault: "info",
    doc: "The least level of the agent's own log; where nobody says it, logging_level of the runner's settings counts.",
  },
  "on-sigterm": {
    value: "drain|cancel|leave",
    schema: words("drain", "cancel", "leave"),
    byDefault: "drain",
    doc: "What the first SIGTERM does: let what runs finish, stop it at once (where the host waits for seconds only), or, with executor kubernetes, leave the pods to the agent's next start.",
  },
  "drain-timeout": {
    value: "DURATION",
    schema: durationMs(0, 24 * hourMs),
    byDefault: "30m",
    doc: "How long what runs may go on after a SIGTERM, before it is stopped.",
  },
  "cancel-timeout": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "11m",
    doc: "How long stopped jobs may take to end when the agent goes down, before they are killed.",
  },
  "flush-timeout": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "1m",
    doc: "How long going down waits until the broker has all results and logs; what is left, the next start sends.",
  },
  "host-grace": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "5s",
    doc: "How long what runs may go on when the host says that it goes down.",
  },
  "min-free-disk": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "1GiB",
    doc: "With less room than this for data or workspaces the agent takes no jobs; nor with less than 16 MiB, or than this, in the run directory.",
  },
  "min-free-inodes": {
    value: "NUMBER",
    schema: count,
    byDefault: "10000",
    doc: "With room for fewer files than this for data or workspaces the agent takes no jobs, where the file system counts them.",
  },
  "log-spool-per-job": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "64MiB",
    doc: "How much of one job's log may wait on disk for the broker; of a longer one the middle is dropped, and that is said in it.",
  },
  "log-spool": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "1GiB",
    doc: "How much of all logs may wait on disk for the broker.",
  },
  "log-wait": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "1s",
    doc: "How long a job's end waits until the broker has the last lines of its log.",
  },
  "allow-file-sources": {
    value: "yes|no",
    schema: words("yes", "no"),
    byDefault: "no",
    doc: "Whether plans may name sources of this host: folders, and git repositories by paths and file:// URLs.",
  },
  "source-size": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "1GiB",
    doc: "How large a job's source may be where it is no git repository: as it is fetched, and unpacked.",
  },
  "terraform-patience": {
    value: "DURATION",
    schema: durationMs(1_000, 10 * minuteMs),
    byDefault: "2m",
    doc: "How long terraform may take to come to rest after its job was stopped, before it is killed; unless the plan says.",
  },
  "provider-mirror": {
    value: "DIR",
    schema: text,
    doc: "Where terraform finds its providers, as terraform providers mirror lays them out; then it downloads none.",
  },
  "management-dir": {
    value: "DIR",
    schema: text,
    doc: "Where the programs are that do the jobs of mode mng: one for each, called as its type.",
  },
  "start-timeout": {
    value: "DURATION",
    schema: durationMs(0, 24 * hourMs),
    byDefault: "5m",
    doc: "How long to try to reach the broker at the start, before giving up with exit code 69.",
  },
  "request-timeout": {
    value: "DURATION",
    schema: durationMs(100, hourMs),
    byDefault: "30s",
    doc: "How long one request may take; a parked one so much longer than it is parked.",
  },
  "claim-wait": {
    value: "DURATION",
    schema: durationMs(100, minuteMs),
    byDefault: "25s",
    doc: "How long a request for jobs is parked.",
  },
  "retry-from": {
    value: "DURATION",
    schema: durationMs(1, minuteMs),
    byDefault: "500ms",
    doc: "The longest wait before the first repetition of a request; it doubles from there.",
  },
  "retry-most": {
    value: "DURATION",
    schema: durationMs(1, hourMs),
    byDefault: "30s",
    doc: "The longest wait between two repetitions, whatever they are.",
  },
  ...consentSettings,
  ...toolSettings,
  ...executorSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The names of all settings, in the order of the table. */
export const settingNames = Object.keys(settings) as SettingName[]; // its own keys

/** The setting's row with its optional members visible. */
export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** The variable of the environment that gives a setting. */
export function variableOf(name: SettingName): string {
  return `SVC_AGENT_${name.toUpperCase().replaceAll("-", "_")}`;
}
