import { type FaultPlace, SvcError } from "../svc-error.ts";
import { partsOf } from "./parts-of.ts";

/** What a broker answered. */
export type Answer<Body = unknown> = {
  readonly status: number;
  readonly headers: Headers;
  /** JSON as its value, another text as a string, anything else as bytes; undefined where there is none. */
  readonly body: Body;
};

/** What a broker answered, as it came. */
export type RawAnswer = {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
};

const mostProblemBytes = 1024 * 1024;
const mostWords = 2000;

/** Reads an answer whole; throws an SvcError for a refusal, and for an answer that is too long. */
export async function readAnswer(response: Response, maxBytes: number): Promise<RawAnswer> {
  const { status, headers } = response;
  if (response.ok || status === 304)
    return { status, headers, bytes: await readBytes(response, maxBytes) };
  throw await refusalOf(response);
}

/** An answer with its body read as what it says that it is; throws an SvcError where it is not that. */
export function parseAnswer(answer: RawAnswer): Answer {
  const { status, headers } = answer;
  return { status, headers, body: bodyOf(answer) };
}

/** The error that a refusal's answer tells of. */
export async function refusalOf(response: Response): Promise<SvcError> {
  const bytes = await readBytes(response, mostProblemBytes).catch((error: unknown) => {
    if (error instanceof SvcError) return new Uint8Array();
    throw error;
  });
  const problem = readProblem(bytes);
  const words = problem.detail ?? problem.title ?? `The broker answered ${response.status}.`;
  return new SvcError(words.slice(0, mostWords), {
    code: problem.code ?? "unknown",
    ...factsOf(response),
    errors: problem.errors,
    retryAfterMs: retryAfterMs(response.headers.get("retry-after")),
  });
}

/** Status and request id, for an error. */
export const factsOf = ({ status, headers }: Pick<Response, "status" | "headers">) => ({
  status,
  requestId: headers.get("x-request-id") ?? "",
});

async function readBytes(response: Response, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of partsOf(response)) {
    size += part.byteLength;
    // The loop that is left cancels what is still to come.
    if (size > maxBytes)
      throw new SvcError(`The answer is longer than ${maxBytes} bytes.`, {
        code: "answer_too_large",
        ...factsOf(response),
      });
    parts.push(part);
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function bodyOf(answer: RawAnswer): unknown {
  const { bytes, headers } = answer;
  if (bytes.byteLength === 0) return undefined;
  const type = headers.get("content-type") ?? "";
  const isJson = /[/+]json\b/.test(type);
  if (!isJson && !/^text\/|[/+-]ndjson\b/.test(type)) return bytes;
  const text = new TextDecoder().decode(bytes);
  if (!isJson) return text;
  try {
    return JSON.parse(text);
  } catch {
    const words = "The answer says that it is JSON, and is none.";
    throw new SvcError(words, { code: "bad_answer", ...factsOf(answer) });
  }
}

type ProblemText = {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly errors?: readonly FaultPlace[];
};

/** A proxy on the way may answer anything; only what a problem document has is read. */
function readProblem(bytes: Uint8Array): ProblemText {
  const read = parse(bytes);
  const text = (name: string) => (typeof read[name] === "string" ? { [name]: read[name] } : {});
  const errors = Array.isArray(read["errors"]) ? { errors: read["errors"] as FaultPlace[] } : {}; // by the contract
  return { ...text("title"), ...text("detail"), ...text("code"), ...errors };
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(new TextDecoder().decode(bytes));
    return typeof read === "object" && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
