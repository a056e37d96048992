import { readFile } from "node:fs/promises";
import path from "node:path";

/** The process of the runner that the agent of a data directory last registered as. */
export async function processIdIn(dataDir: string): Promise<string | undefined> {
  try {
    const text = await readFile(path.join(dataDir, "process.json"), "utf8");
    return (JSON.parse(text) as { id?: string }).id;
  } catch {
    return undefined; // it has not registered yet, or has left in good order
  }
}
