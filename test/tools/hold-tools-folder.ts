import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setInterval } from "node:timers/promises";
import { toolsFolder } from "./tools-folder.ts";

/**
 * Keeps other runs out of the tools' folder; waits for one that is at work. A database's lock is the kernel's: it ends
 * with its process, however that ends, so none is ever left behind.
 */
export async function holdToolsFolder(onWait: () => void): Promise<Disposable> {
  const lock = new DatabaseSync(path.join(toolsFolder(), "lock"), { timeout: 0 });
  const release = { [Symbol.dispose]: () => lock.close() };
  if (isHeld(lock)) return release;
  onWait();
  for await (const _ of setInterval(200)) if (isHeld(lock)) break;
  return release;
}

function isHeld(lock: DatabaseSync): boolean {
  try {
    lock.exec("begin exclusive");
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
