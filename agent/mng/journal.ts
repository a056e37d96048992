import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { sweepDrafts, writeDurably } from "../files/atomic-file.ts";
import { errorCode } from "../files/disk-error.ts";
import type { Log } from "../log.ts";

/** What ended an operation, for the job that asked for it. */
const outcomeSchema = z.object({
  result: z.enum([
    "switched",
    "unchanged",
    "rolled_back",
    "restarted",
    "stopped",
    "powering_off",
    "still_busy",
    "refused",
    "cancelled",
    "failed",
  ]),
  words: z.string(),
  from: z.string(),
  to: z.string(),
});
export type Outcome = z.infer<typeof outcomeSchema>;

const operationSchema = z.object({
  /** Who asked: an execution, or a version of the settings. The same key is the same operation. */
  key: z.string(),
  kind: z.enum(["update", "restart", "stop", "power-off"]),
  step: z.enum(["prepare", "drain", "stop", "start", "prove", "back", "reprove", "power"]),
  from: z.string(),
  to: z.string(),
  /** By this host's clock. */
  drain_until_ms: z.number(),
  /** The process of the runner before the agent was ended. */
  former: z.string(),
  /** Why it goes back. */
  why: z.string(),
  /** The boot of the host in which it began. */
  boot: z.string(),
});
export type Operation = z.infer<typeof operationSchema>;

const journalSchema = z.object({
  /** The release that is to run; empty for the one that is there without an update. */
  release: z.string(),
  /** Why the agent is not to run; empty while it is. */
  stopped: z.string(),
  /** The agent was told to finish by an operation that gave up: it is started again when it has ended. */
  finishing: z.boolean(),
  operation: operationSchema.nullable(),
  /** The last operations that ended, the newest last. */
  ended: z.array(z.object({ key: z.string(), outcome: outcomeSchema })),
  /** The release of the settings that did not work here. */
  rejected: z.object({ release: z.string(), why: z.string() }).nullable(),
});
export type JournalState = z.infer<typeof journalSchema>;

/** What a management process must find again after it was killed. */
export type Journal = {
  readonly read: () => JournalState;
  /** Survives a power failure when it resolves; when it rejects, nothing has changed. */
  readonly write: (change: Partial<JournalState>) => Promise<void>;
};

const mostEnded = 50;
const fresh: JournalState = {
  release: "",
  stopped: "",
  finishing: false,
  operation: null,
  ended: [],
  rejected: null,
};

/** Opens the journal of a data directory; one that cannot be parsed is put aside in the log, and begun anew. */
export async function openJournal(dataDir: string, log: Log): Promise<Journal> {
  const file = path.join(dataDir, "management.json");
  await sweepDrafts(file);
  let state = parse(await readText(file), log);
  return {
    read: () => state,
    async write(change) {
      const next = { ...state, ...change };
      const written = { ...next, ended: next.ended.slice(-mostEnded) };
      await writeDurably(file, `${JSON.stringify(written)}\n`);
      state = written;
    },
  };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return "";
    throw error;
  }
}

function parse(text: string, log: Log): JournalState {
  if (text === "") return fresh;
  try {
    return journalSchema.parse(JSON.parse(text));
  } catch {
    log.error("the journal of the management process cannot be read; a new one is started");
    return fresh;
  }
}
