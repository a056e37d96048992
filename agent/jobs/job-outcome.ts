import type { Redactor } from "../logs/redactor.ts";
import type { PendingResult } from "../spool/result-outbox.ts";
import type { Outputs, JobResult } from "./handler.ts";
import type { JobFailure } from "./job-failure.ts";
import { type StopCause, stopRow, stopWords } from "./stop-cause.ts";
import type { JobOutcome } from "./stored-execution.ts";

/** How a job ended here. */
export type Ending =
  | { readonly kind: "succeeded"; readonly result: JobResult }
  | { readonly kind: "failed"; readonly failure: JobFailure }
  | {
      readonly kind: "stopped";
      readonly cause: StopCause;
      readonly failure?: JobFailure | undefined;
    }
  /** An earlier process of the agent stored the outcome. */
  | { readonly kind: "kept"; readonly outcome: JobOutcome };

type Finish = PendingResult["finish"];

/** What is reported of an ending, redacted. Success is always stated explicitly. */
export function jobOutcome(ending: Ending, redactor: Redactor): JobOutcome {
  if (ending.kind === "kept") return ending.outcome;
  const { outputs, ...finish } = finishOf(ending);
  const words = redactor.redactText(finish.status_description ?? "");
  return {
    ...finish,
    status_description: words,
    words,
    ...(finish.result !== undefined && { result: redacted(finish.result, redactor) }),
    ...(outputs !== undefined && { outputs: redactor.redactJson(outputs) }),
  };
}

/** Compressed contents are not searched for secrets; every other member is text and is redacted. */
function redacted(result: NonNullable<Finish["result"]>, redactor: Redactor): Finish["result"] {
  const { contents_compressed, contents_display_compressed, ...texts } = result;
  const { error_metadata, ...others } = redactor.redactJson(texts);
  return {
    ...others,
    ...(error_metadata != null && { error_metadata: cut(error_metadata) }),
    ...(contents_compressed !== undefined && { contents_compressed }),
    ...(contents_display_compressed !== undefined && { contents_display_compressed }),
  };
}

/** Text is cut after it was redacted: a part of a secret would not be recognized. */
function cut(metadata: Readonly<Record<string, string>>): Record<string, string> {
  const { message, ...others } = metadata;
  return { ...others, ...(message !== undefined && { message: message.slice(0, mostMessage) }) };
}

/** Whether the outputs contain a secret that will be redacted. */
export function hidesOutputs(outputs: Outputs | undefined, redactor: Redactor): boolean {
  return outputs !== undefined && redactor.redactJson(outputs) !== outputs;
}

/** The outputs of an ending, if it has any. */
export function outputsOf(ending: Ending): Outputs | undefined {
  if (ending.kind === "kept") return undefined;
  return ending.kind === "succeeded" ? ending.result.outputs : ending.failure?.outputs;
}

function finishOf(ending: Exclude<Ending, { kind: "kept" }>): Finish {
  const outputs = outputsOf(ending);
  const given = outputs === undefined ? {} : { outputs: { ...outputs } };
  if (ending.kind === "succeeded") {
    const { description = "", result } = ending.result;
    return {
      status: "finished",
      status_description: description,
      result: { ...result, success: true },
      ...given,
    };
  }
  if (ending.kind === "failed") {
    const { message, code, reason, metadata } = ending.failure;
    return {
      status: "failed",
      status_description: message,
      result: {
        success: false,
        error_code: code === 0 ? 1 : code,
        error_metadata: { ...metadata, reason, message },
        ...composite(ending.failure),
      },
      ...given,
    };
  }
  return { ...stopped(ending), ...given };
}

function stopped({ cause, failure }: Extract<Ending, { kind: "stopped" }>): Finish {
  const { status, code } = stopRow(cause);
  const words = stopWords(cause);
  const message = failure === undefined ? words : `${words}: ${failure.message}`;
  return {
    status,
    status_description: message,
    result: {
      success: false,
      error_code: 1,
      error_metadata: {
        ...failure?.metadata,
        reason: code,
        message,
      },
      ...composite(failure),
    },
  };
}

const composite = (failure: JobFailure | undefined) =>
  failure?.composite === undefined ? {} : { composite_error: { ...failure.composite } };

const mostMessage = 4_000;
