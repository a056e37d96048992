import { readDurationNs, readPairs, readWhole } from "../flags/read-flags.ts";

/** The argument of every command of one queue. */
export const queueArgs = { queue: { summary: "The queue's id.", offers: "queues" } } as const;

/** What can be set of a queue, as flags. */
export const queueFlags = {
  "max-depth": { value: "N", summary: "How many signals may wait (default 10000)." },
  "max-in-flight": {
    value: "N",
    summary: "How many are executed at once (default 1: strictly one after the other).",
  },
  "idle-timeout": {
    value: "DURATION",
    summary: "Idle after this time without a signal (default 1h; 0s: never).",
  },
  metadata: { value: "NAME=VALUE", isRepeatable: true, summary: "Metadata for the queue." },
} as const;

type Given = {
  readonly "max-depth": string | undefined;
  readonly "max-in-flight": string | undefined;
  readonly "idle-timeout": string | undefined;
  readonly metadata: readonly string[];
};

/** The members of a request that these flags name. */
export function readQueueFlags(flags: Given) {
  const { metadata } = flags;
  return {
    max_depth: readWhole("--max-depth", flags["max-depth"]),
    max_in_flight: readWhole("--max-in-flight", flags["max-in-flight"]),
    idle_timeout: readDurationNs("--idle-timeout", flags["idle-timeout"]),
    metadata: metadata.length === 0 ? undefined : readPairs("--metadata", metadata),
  };
}
