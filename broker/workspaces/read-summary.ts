import { Worker } from "node:worker_threads";
import { Problem, problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { orgTurns } from "../limits/org-turns.ts";
import { openStored, type Readable, readWhole } from "./read-parts.ts";
import type { WorkspaceStateRow } from "./row.ts";
import { type Summarized, summarizeStates, type Wanted } from "./summarize-states.ts";
import { summaryProgram } from "./summary-program.ts";
import type { SummaryMessage } from "./summary-worker.ts";

const mostInTurnBytes = 512 * 1024;
const mostHeapMb = 1024;
/** One is read; of an org four may wait, and of all as many as eleven. */
const turns = orgTurns({ patienceMs: 60_000, most: 12, mostOfOrg: 5, refusal: () => busy() });

/**
 * The contents of stored states as JSON for people; 409 when one is not a Terraform state. Large ones are parsed in a
 * separate thread, one at a time, the orgs in turn, so that other requests are not delayed; 503 when too many are waiting.
 */
export async function readSummary(
  broker: Pick<Broker, "db" | "seals" | "decompressions">,
  wanted: Wanted,
  states: readonly WorkspaceStateRow[],
): Promise<Uint8Array<ArrayBuffer>> {
  const other = states.find(({ serial }) => serial === null);
  if (other !== undefined) throw notTerraform(other.revision);
  const orgId = states[0]?.org_id ?? "";
  const stored = states.map((state) => openStored(broker, state));
  const sizeBytes = stored.reduce((sum, one) => sum + one.sizeBytes, 0);
  const summarized =
    sizeBytes <= mostInTurnBytes
      ? summarizeStates(wanted, await Promise.all(stored.map(readWhole)))
      : await turns.run(orgId, () =>
          broker.decompressions.within(
            { key: `states ${orgId}`, bytes: sizeBytes, waitingBytes: 0 },
            () => summarizeElsewhere(wanted, stored),
          ),
        );
  if ("json" in summarized) return summarized.json;
  throw notTerraform(states[summarized.notTerraform]?.revision ?? 0);
}

/** Pieces and answer are transferred, not copied: this thread never holds a whole state. */
async function summarizeElsewhere(
  wanted: Wanted,
  stored: readonly Readable[],
): Promise<Summarized> {
  const { file, text = "" } = summaryProgram;
  const worker = new Worker(file ?? text, {
    eval: file === undefined,
    resourceLimits: { maxOldGenerationSizeMb: mostHeapMb },
  });
  const answer = new Promise<Summarized>((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", (error: NodeJS.ErrnoException) =>
      reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? tooLarge() : error),
    );
    worker.once("exit", (code) => reject(new Error(`reading a state ended with ${code}`)));
  });
  answer.catch(() => {}); // told when it is awaited
  const send = (message: SummaryMessage, transfer: ArrayBuffer[] = []): void =>
    worker.postMessage(message, transfer);
  try {
    for (const [of, one] of stored.entries()) {
      for await (const piece of one.pieces()) {
        const bytes = new Uint8Array(piece);
        send({ of, bytes }, [bytes.buffer]);
      }
    }
    send({ wanted });
    return await answer;
  } finally {
    await worker.terminate();
  }
}

const notTerraform = (revision: number): Error =>
  problem.conflict("state_not_terraform", `Revision ${revision} is not a Terraform state.`);

const tooLarge = (): Error =>
  problem.conflict(
    "state_too_large_to_read",
    "The state is too large for this view. Read its contents instead.",
  );

const busy = (): Error =>
  new Problem({
    status: 503,
    code: "busy",
    detail: "Too many large states are being read. Try again in a moment.",
    headers: { "retry-after": "5" },
  });
