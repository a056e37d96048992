import { Worker } from "node:worker_threads";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { openStored, readWhole } from "./read-parts.ts";
import type { WorkspaceStateRow } from "./row.ts";
import { type StateSummary, summarizeState } from "./summarize-state.ts";

const mostInTurnBytes = 2 * 1024 * 1024;
let working: Promise<unknown> = Promise.resolve();

/**
 * What a stored state has, for people; 409 for what is no state of terraform's. A large one is read by a
 * thread of its own, one after the other, so that nobody else waits for it.
 */
export async function readSummary(
  broker: Pick<Broker, "db" | "seals">,
  state: WorkspaceStateRow,
): Promise<StateSummary> {
  const read = async (): Promise<string> =>
    (await readWhole(openStored(broker, state))).toString("utf8");
  if (state.serial === null) throw notTerraform(state.revision);
  const isSmall = state.size_bytes <= mostInTurnBytes;
  const summary = isSmall
    ? summarizeState(await read())
    : await afterOthers(async () => summarizeElsewhere(await read()));
  if (summary === undefined) throw notTerraform(state.revision);
  return summary;
}

function afterOthers<Result>(act: () => Promise<Result>): Promise<Result> {
  const result = working.then(act, act);
  working = result.catch(() => {});
  return result;
}

function summarizeElsewhere(text: string): Promise<StateSummary | undefined> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL("summary-worker.ts", import.meta.url), { workerData: text });
    worker.once("message", (summary: StateSummary | undefined) => resolve(summary));
    worker.once("error", reject);
    worker.once("exit", (code) => reject(new Error(`reading a state ended with ${code}`)));
  });
}

const notTerraform = (revision: number): Error =>
  problem.conflict("state_not_terraform", `Revision ${revision} is no state of terraform's.`);
