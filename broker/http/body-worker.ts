import { parentPort } from "node:worker_threads";
import { Problem, type ProblemError } from "../../shared/problem.ts";
import { readRecord, type RecordFacts } from "../helm-releases/read-record.ts";
import { type LargeBody, readLargeJson } from "./read-large-json.ts";

/** A body to be read, as this operation's. */
export type BodyMessage = { readonly operationId: string; readonly bytes: Uint8Array<ArrayBuffer> };

/** A refusal, so that it can change hands. */
export type ToldProblem = {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly ProblemError[];
};

/** What was made of it; the bytes come back. */
export type BodyAnswer = { readonly bytes: Uint8Array<ArrayBuffer> } & (
  | { readonly body: LargeBody }
  | { readonly record: RecordFacts }
  | { readonly refused: ToldProblem }
);

// The thread's whole work: one body in, one answer out.
parentPort?.on("message", ({ operationId, bytes }: BodyMessage) => {
  const answer = read(operationId, bytes);
  parentPort?.postMessage(answer, [answer.bytes.buffer]);
});

function read(operationId: string, bytes: Uint8Array<ArrayBuffer>): BodyAnswer {
  const buffer = Buffer.from(bytes.buffer);
  try {
    if (operationId.endsWith("HelmRecord")) return { bytes, record: readRecord(buffer) };
    return { bytes, body: readLargeJson(operationId, buffer) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { status, code, message: detail, errors } = error;
    return { bytes, refused: { status, code, detail, errors } };
  }
}
