import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { writeDurably } from "../files/atomic-file.ts";

/** A process of the runner, and the secret that proves that it was this agent. */
export type RunnerProcess = { readonly id: string; readonly secret: string };

const schema = z.object({ runner_id: z.string(), id: z.string(), secret: z.string() });
const fileOf = (dataDir: string): string => path.join(dataDir, "process.json");

/** The last process of this data directory, if it belonged to this runner; its successor takes it over. */
export async function readStoredProcess(
  dataDir: string,
  runnerId: string,
): Promise<RunnerProcess | undefined> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => "");
  try {
    const { runner_id, id, secret } = schema.parse(JSON.parse(text));
    return runner_id === runnerId ? { id, secret } : undefined;
  } catch {
    return undefined; // an unreadable file counts as none
  }
}

/** Stores it for a successor; survives a power failure. */
export async function storeProcess(
  dataDir: string,
  runnerId: string,
  { id, secret }: RunnerProcess,
): Promise<void> {
  const text = JSON.stringify({ runner_id: runnerId, id, secret });
  await writeDurably(fileOf(dataDir), `${text}\n`);
}

/** Removes the stored process: there is nothing left to take over. */
export async function forgetProcess(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true });
}
