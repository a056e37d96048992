import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeDurably, writeAtomically } from "../files/atomic-file.ts";
import { describeDiskError } from "../files/disk-error.ts";
import type { Log } from "../log.ts";
import { storedExecution, type StoredExecution } from "./stored-execution.ts";

/** The stored state of a running execution. */
export type ExecutionRecord = {
  /** Change it in place, then save. */
  readonly state: StoredExecution;
  /** Saves so that the state survives the agent. Never rejects: if the disk fails, the state stays in memory. */
  readonly save: () => Promise<void>;
  /** The same, but rejects when the disk fails. */
  readonly saveSurely: () => Promise<void>;
  /** Saves so that the state survives a power failure, too; rejects when the disk fails. */
  readonly saveDurably: () => Promise<void>;
  /** Removes the record: the execution has ended and must not be resumed. */
  readonly remove: () => Promise<void>;
};

/** Opens the record of an execution, in a folder of its own with mode 0700. */
export async function openExecutionRecord(
  dataDir: string,
  state: StoredExecution,
  log: Log,
): Promise<ExecutionRecord> {
  const dir = executionFolder(dataDir, state.execution_id);
  const file = path.join(dir, fileName);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  let last: Promise<void> = Promise.resolve();
  const inTurn = async (write: (text: string) => Promise<void>): Promise<void> => {
    const turn = last.catch(() => {}).then(() => write(JSON.stringify(state)));
    last = turn;
    await turn;
  };
  const write = (): Promise<void> => inTurn((text) => writeAtomically(file, { text }));
  await write();
  return {
    state,
    save: () =>
      write().catch((error: unknown) => {
        const why = describeDiskError(dir, error);
        log.warn({ execution_id: state.execution_id, why }, "saving a job's progress failed");
      }),
    saveSurely: write,
    saveDurably: () => inTurn((text) => writeDurably(file, text)),
    remove: async () => {
      await last.catch(() => {});
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** The executions that an earlier process of the agent left running; for an unreadable one only its id. */
export async function listStoredExecutions(dataDir: string): Promise<{
  readonly stored: StoredExecution[];
  readonly unreadable: string[];
}> {
  const stored: StoredExecution[] = [];
  const unreadable: string[] = [];
  const names = await readdir(path.join(dataDir, folder)).catch(() => []);
  for (const name of names) {
    const read = await readState(path.join(dataDir, folder, name, fileName));
    if (read === undefined) unreadable.push(name);
    else stored.push(read);
  }
  return { stored, unreadable };
}

/** Removes the record of an execution that is not resumed. */
export async function forgetExecution(dataDir: string, executionId: string): Promise<void> {
  await rm(executionFolder(dataDir, executionId), { recursive: true, force: true });
}

const folder = "executions";
const fileName = "state.json";

/** The folder of an execution's record. */
export function executionFolder(dataDir: string, executionId: string): string {
  return path.join(dataDir, folder, executionId);
}

async function readState(file: string): Promise<StoredExecution | undefined> {
  try {
    return storedExecution.safeParse(JSON.parse(await readFile(file, "utf8"))).data;
  } catch {
    return undefined;
  }
}
