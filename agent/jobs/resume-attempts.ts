import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import { writeDurably } from "../files/atomic-file.ts";
import { executionFolder } from "./execution-record.ts";

/** So often in a row an execution is taken up by agents that die within a minute: then it may be what kills them. */
export const maxResumes = 10;
const wellAfterMs = 60_000;

/** Counts that the execution is taken up, and answers how often that was in a row; an agent that lives on forgets it. */
export async function countResume(dataDir: string, executionId: string): Promise<number> {
  const file = path.join(executionFolder(dataDir, executionId), "take-ups");
  const before = Number.parseInt(await readFile(file, "utf8").catch(() => ""), 10) || 0;
  await writeDurably(file, String(before + 1));
  setTimeout(() => void rm(file, { force: true }).catch(() => {}), wellAfterMs).unref(); // then it counts on
  return before + 1;
}
