import { readFileSync } from "node:fs";
import { chmod, mkdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { version } from "../../shared/version.ts";
import { ExitError } from "../exit-error.ts";
import { writeDurably } from "../files/atomic-file.ts";
import { unusablePath } from "./unusable-path.ts";

/** What an agent writes about itself to its data directory: its identity and the URL of its status server. */
const presenceSchema = z.object({
  pid: z.int(),
  start_time: z.string(),
  watch_url: z.string().nullable(),
  version: z.string().optional(),
});
export type Presence = z.infer<typeof presenceSchema>;

export type DataDir = {
  /** Publishes the URL of the agent's status server. */
  readonly announce: (watchUrl: string | null) => Promise<void>;
  readonly release: () => Promise<void>;
};

const fileOf = (dataDir: string): string => path.join(dataDir, "agent.json");

/**
 * Makes the data directory and locks it for this process; throws while another agent uses it. Its mode is 0700, or
 * 0711 when jobs of other users pass through it to their workspace directories, which does not let them list it.
 */
export async function takeDataDir(dataDir: string, isEntered = false): Promise<DataDir> {
  const mode = isEntered ? 0o711 : 0o700;
  await mkdir(dataDir, { recursive: true, mode }).catch((error: unknown) => {
    throw unusablePath(error, "data directory", dataDir);
  });
  await chmod(dataDir, mode).catch(() => {}); // it belongs to another user and has a wider mode: it still works
  const other = await readPresence(dataDir);
  if (other !== undefined && other.pid !== process.pid) {
    const words = `Another agent (pid ${other.pid}) uses the data directory ${dataDir}. Give each agent its own.`;
    throw new ExitError("failed", words);
  }
  const announce = async (watch_url: string | null): Promise<void> => {
    const presence = {
      pid: process.pid,
      start_time: startTimeOf(process.pid) ?? "",
      watch_url,
      version,
    };
    await writeDurably(fileOf(dataDir), `${JSON.stringify(presence)}\n`).catch((error: unknown) => {
      throw unusablePath(error, "data directory", dataDir);
    });
  };
  await announce(null);
  return { announce, release: async () => await rm(fileOf(dataDir), { force: true }) };
}

/** The agent that uses the data directory now; undefined when there is none. */
export async function readPresence(dataDir: string): Promise<Presence | undefined> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => "");
  try {
    const presence = presenceSchema.parse(JSON.parse(text));
    return startTimeOf(presence.pid) === presence.start_time ? presence : undefined;
  } catch {
    return undefined; // missing or incomplete: there is no agent to ask
  }
}

/** Its start time in clock ticks since boot: a later process with the same pid has another one. */
function startTimeOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return isThere(pid) ? "unknown" : undefined; // the host has no /proc
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
