import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { writeDurably } from "../files/atomic-file.ts";

/** A process of the runner, and what proves that it was us. */
export type RunnerProcess = { readonly id: string; readonly secret: string };

const schema = z.object({ runner_id: z.string(), id: z.string(), secret: z.string() });
const fileOf = (dataDir: string): string => path.join(dataDir, "process.json");

/** The process that this data directory's agent was last, if it was one of this runner; its successor takes it over. */
export async function readStoredProcess(
  dataDir: string,
  runnerId: string,
): Promise<RunnerProcess | undefined> {
  const text = await readFile(fileOf(dataDir), "utf8").catch(() => "");
  try {
    const { runner_id, id, secret } = schema.parse(JSON.parse(text));
    return runner_id === runnerId ? { id, secret } : undefined;
  } catch {
    return undefined; // a file that cannot be read names nobody
  }
}

/** Keeps it for a successor: after a power cut as well. */
export async function storeProcess(
  dataDir: string,
  runnerId: string,
  { id, secret }: RunnerProcess,
): Promise<void> {
  const text = JSON.stringify({ runner_id: runnerId, id, secret });
  await writeDurably(fileOf(dataDir), `${text}\n`);
}

/** There is nothing to take over any more. */
export async function forgetProcess(dataDir: string): Promise<void> {
  await rm(fileOf(dataDir), { force: true });
}
