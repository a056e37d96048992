import { isUtf8 } from "node:buffer";
import { parentPort } from "node:worker_threads";
import { maskPlan } from "../../../shared/plans/mask-plan.ts";
import { type PlanFacts, planFacts } from "../../../shared/plans/plan-facts.ts";
import { Problem, type ProblemError } from "../../../shared/problem.ts";
import type { RunnerJobType } from "../../../shared/runner-job-types.ts";
import { readRecord, type RecordFacts } from "../../helm-releases/read-record.ts";
import { extractStrings } from "./extract-strings.ts";
import { type LargeBody, readLargeJson } from "./read-large-json.ts";

/** A body to be read as this operation's, or the plan of a job of this type. */
export type BodyMessage = { readonly bytes: Uint8Array<ArrayBuffer> } & (
  | { readonly work: "body"; readonly operationId: string }
  | { readonly work: "record" }
  | { readonly work: "plan-facts" | "plan-masked"; readonly type: RunnerJobType }
);

/** A refusal, in a form that can be sent between threads. */
export type SerializedProblem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly ProblemError[];
};

/** What was made of it; the bytes come back. */
export type BodyAnswer = { readonly bytes: Uint8Array<ArrayBuffer> } & (
  | { readonly body: LargeBody }
  | { readonly record: RecordFacts }
  | { readonly facts: PlanFacts }
  | { readonly masked: true }
  | { readonly refused: SerializedProblem }
);

// The thread's whole work: one message in, one answer out.
parentPort?.on("message", (message: BodyMessage) => {
  const answer = read(message);
  parentPort?.postMessage(answer, [answer.bytes.buffer]);
});

function read(message: BodyMessage): BodyAnswer {
  const { bytes } = message;
  const buffer = Buffer.from(bytes.buffer);
  try {
    if (message.work === "body") return { bytes, body: readLargeJson(message.operationId, buffer) };
    if (message.work === "record") return { bytes, record: readLargeRecord(buffer) };
    const text = buffer.toString("utf8");
    if (message.work === "plan-facts") return { bytes, facts: planFacts(text, message.type) };
    const masked = JSON.stringify(maskPlan(message.type, JSON.parse(text)));
    return { bytes: new TextEncoder().encode(masked), masked: true };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code, message: detail, errors } = error;
    return { bytes, refused: { status, code, detail, errors } };
  }
}

/** Its chart is most of a record, and is never made a value; nothing that is kept of it is long. */
function readLargeRecord(bytes: Buffer): RecordFacts {
  if (!isUtf8(bytes)) return readRecord(bytes); // refuses it
  const { text, words } = extractStrings(bytes);
  const facts = readRecord(Buffer.from(text));
  return JSON.stringify(facts).search(words) === -1 ? facts : readRecord(bytes);
}
