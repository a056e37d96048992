import { z } from "zod";
import { approvalSettings } from "./approval-settings.ts";
import { buildSettings } from "./build-settings.ts";
import { executorSettings } from "./executor-settings.ts";
import { managementSettings } from "./management-settings.ts";
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
 * All settings of the agent by name: `--broker-url`, SVC_AGENT_BROKER_URL and `broker-url = …` in the file of
 * `--config`. Parsing, help and docs/agent-reference.md derive from this.
 */
export const settings = {
  "broker-url": { value: "URL", schema: httpUrl, doc: "The broker's URL." },
  "token-file": {
    value: "FILE",
    schema: text,
    doc: "File with the runner's token or a one-time enrolment token. It is read again when the broker refuses the token.",
  },
  token: {
    value: "TOKEN",
    schema: text,
    isSecret: true,
    doc: "The token itself, if a file is not possible. The agent removes it from its environment at once, and refuses to start if a parent process still has it in its environment.",
  },
  runner: {
    value: "ID",
    schema: z.string().regex(/^run_[0-9a-z]{26}$/, "must be a runner id like run_…"),
    doc: "The runner that this agent serves. Default: the runner of the token.",
  },
  mode: {
    value: "MODE",
    schema: words("install", "build", "org", "mng"),
    byDefault: "install",
    doc: "Kind of process: install, build, org or mng. It decides which job groups the agent serves.",
  },
  groups: {
    value: "GROUP=SLOTS,…",
    schema: groupSlots,
    doc: "Job groups to serve, with the number of parallel jobs of each. Default: the groups of the mode, with the limits of the runner's settings.",
  },
  "data-dir": {
    value: "DIR",
    schema: text,
    byDefault: "/var/lib/svc-agent",
    doc: "Directory for what must survive a restart: results, unsent logs, the enrolled token. Each agent needs its own.",
  },
  "work-dir": {
    value: "DIR",
    schema: text,
    doc: "Directory for the workspaces of jobs. Default: work/ in the data directory.",
  },
  "run-dir": {
    value: "DIR",
    schema: text,
    doc: "Directory in memory (tmpfs) for the output of running jobs. Default: $XDG_RUNTIME_DIR or /dev/shm.",
  },
  "job-user": {
    value: "UID-UID",
    schema: userRange,
    doc: "Range of user ids that jobs run as, one user for each running job. Nothing else may use them, and the agent must be root. Default: the agent's own user.",
  },
  "job-cgroups": {
    value: "auto|on|off",
    schema: words("auto", "on", "off"),
    byDefault: "auto",
    doc: "Run each job in a cgroup (version 2) of its own, so that all its processes are killed at its end. auto: where possible; on: required, or the agent does not start; off: never.",
  },
  "job-memory-max": {
    value: "SIZE",
    schema: memorySize,
    doc: "Memory limit of one job, 16MiB or more. It needs a cgroup with the memory controller.",
  },
  "job-pids-max": {
    value: "NUMBER",
    schema: processCount,
    doc: "Limit of processes and threads of one job, 8 or more. It needs a cgroup with the pids controller.",
  },
  "ca-file": {
    value: "FILE",
    schema: text,
    doc: "Additional trusted CA certificates (PEM), for the agent and its jobs.",
  },
  "watch-port": {
    value: "PORT",
    schema: port,
    byDefault: "9180",
    doc: "Port on 127.0.0.1 for /livez, /readyz, /metrics and /status.json. 0: disabled; auto: any free port.",
  },
  "log-level": {
    value: "LEVEL",
    schema: words("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    byDefault: "info",
    doc: "Minimum level of the agent's log. Default: logging_level of the runner's settings.",
  },
  "on-sigterm": {
    value: "drain|cancel|leave",
    schema: words("drain", "cancel", "leave"),
    byDefault: "drain",
    doc: "What the first SIGTERM does. drain: let running jobs finish; cancel: stop them at once (for hosts that wait only seconds); leave: keep the pods running for the agent's next start (executor kubernetes only).",
  },
  "drain-timeout": {
    value: "DURATION",
    schema: durationMs(0, 24 * hourMs),
    byDefault: "30m",
    doc: "How long running jobs may continue after SIGTERM before they are stopped.",
  },
  "cancel-timeout": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "11m",
    doc: "How long stopped jobs may take to end at a shutdown before they are killed.",
  },
  "flush-timeout": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "1m",
    doc: "How long a shutdown waits for the broker to receive all results and logs. The next start sends the rest.",
  },
  "host-grace": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "5s",
    doc: "How long running jobs may continue when the host announces its shutdown.",
  },
  "min-free-disk": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "1GiB",
    doc: "Minimum free space for data and workspaces. Below it the agent takes no jobs. For the run directory the minimum is this value or 16 MiB, whichever is less.",
  },
  "min-free-inodes": {
    value: "NUMBER",
    schema: count,
    byDefault: "10000",
    doc: "Minimum number of free inodes for data and workspaces. Below it the agent takes no jobs. Ignored where the file system does not count them.",
  },
  "log-spool-per-job": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "64MiB",
    doc: "Limit of one job's unsent log on disk. If a log is longer, its middle is dropped and the log says so.",
  },
  "log-spool": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "1GiB",
    doc: "Limit of all unsent logs on disk.",
  },
  "log-wait": {
    value: "DURATION",
    schema: durationMs(0, hourMs),
    byDefault: "1s",
    doc: "How long the end of a job waits for the broker to receive the last lines of its log.",
  },
  "allow-file-sources": {
    value: "yes|no",
    schema: words("yes", "no"),
    byDefault: "no",
    doc: "Whether plans may use sources on this host: folders, and git repositories by path or file:// URL.",
  },
  "source-size": {
    value: "SIZE",
    schema: sizeBytes,
    byDefault: "1GiB",
    doc: "Maximum size of a job's source, downloaded and unpacked, and of what a build packs. Of git repositories, only the latter counts.",
  },
  "terraform-patience": {
    value: "DURATION",
    schema: durationMs(1_000, 10 * minuteMs),
    byDefault: "2m",
    doc: "How long terraform may take to stop after its job was stopped, before it is killed. A plan may override it.",
  },
  "provider-mirror": {
    value: "DIR",
    schema: text,
    doc: "Directory with Terraform providers, in the layout of terraform providers mirror. If set, no providers are downloaded.",
  },
  "start-timeout": {
    value: "DURATION",
    schema: durationMs(0, 24 * hourMs),
    byDefault: "5m",
    doc: "How long to try to reach the broker at the start. After that the agent exits with code 69.",
  },
  "request-timeout": {
    value: "DURATION",
    schema: durationMs(100, hourMs),
    byDefault: "30s",
    doc: "Timeout of a request. A long poll may take this much longer than claim-wait.",
  },
  "claim-wait": {
    value: "DURATION",
    schema: durationMs(100, minuteMs),
    byDefault: "25s",
    doc: "How long a poll for jobs waits at the broker.",
  },
  "retry-from": {
    value: "DURATION",
    schema: durationMs(1, minuteMs),
    byDefault: "500ms",
    doc: "Maximum delay before the first retry of a request. It doubles with each retry.",
  },
  "retry-most": {
    value: "DURATION",
    schema: durationMs(1, hourMs),
    byDefault: "30s",
    doc: "Maximum delay between retries.",
  },
  ...buildSettings,
  ...approvalSettings,
  ...toolSettings,
  ...executorSettings,
  ...managementSettings,
} as const satisfies Record<string, Setting>;

export type SettingName = keyof typeof settings;

/** The names of all settings, in the order of the table. */
export const settingNames = Object.keys(settings) as SettingName[]; // its own keys

/** The setting's row with its optional members visible. */
export function settingOf(name: SettingName): Setting {
  return settings[name];
}

/** The environment variable of a setting. */
export function variableOf(name: SettingName): string {
  return `SVC_AGENT_${name.toUpperCase().replaceAll("-", "_")}`;
}
