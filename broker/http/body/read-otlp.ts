import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { problem } from "../../../shared/problem.ts";
import { scanJson } from "../../../shared/scan-json.ts";
import { zlibStep } from "../../../shared/zlib-step.ts";
import { logsRequest, type OtlpRequest } from "../../otlp/otlp-messages.ts";
import { readProtobuf } from "../../otlp/read-protobuf.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import type { ByteBudget } from "../limits/byte-budget.ts";
import { isGzip, toldSize } from "./gzip-size.ts";
import { parseJson } from "./parse-body.ts";
import { hasBody, readBody } from "./read-body.ts";
import { requireFewJsonParts } from "./require-few-json-parts.ts";

/** A request of OTLP/HTTP. */
export type OtlpBody = {
  readonly type: "application/json" | "application/x-protobuf";
  /** Without its encoding. */
  readonly bytes: Buffer;
  /** As it came. */
  readonly sent: { readonly encoding: "gzip" | undefined; readonly body: Buffer };
};

const maxDepth = 64;
const unzip = promisify<Buffer, { maxOutputLength: number; chunkSize: number }, Buffer>(gunzip);

export type OtlpReading<Result> = {
  /** Whose it is: one sender's bodies do not take all the room that there is. */
  readonly key: string;
  readonly maxBytes: number;
  readonly maxInflatedBytes: number;
  /** Converts the body; the decompressed body is charged to the budget while this runs. */
  readonly read: (body: OtlpBody) => Result;
};

/**
 * The converted body, decompressed; 415 for another type, 413 beyond either size, 400 for broken gzip, 429 or 503
 * when too many wait to be inflated, or for too long.
 */
export async function readOtlp<Result>(
  c: AppContext,
  budget: ByteBudget,
  { key, maxBytes, maxInflatedBytes, read }: OtlpReading<Result>,
): Promise<Result> {
  const type = typeOf(c);
  const encoding = encodingOf(c);
  const body = await readBody(c, maxBytes);
  const readBytes = (bytes: Buffer): Result => read({ type, bytes, sent: { encoding, body } });
  if (encoding === undefined) return readBytes(body);
  const owner = { orgId: c.get("actor").orgId, tokenId: key, waitingBytes: body.length };
  const within = async (bytes: number): Promise<Result | undefined> => {
    const leave = await budget.enter({ ...owner, bytes }, c.req.raw.signal);
    try {
      const inflated = await inflate(body, bytes);
      return inflated && readBytes(inflated);
    } finally {
      leave();
    }
  };
  if (!isGzip(body)) throw malformed();
  const told = toldSize(body);
  // What says how large it is takes the room for that; what does not, or says too little, all that it may take.
  const result = told > maxInflatedBytes ? undefined : await within(told);
  const whole = result ?? (await within(maxInflatedBytes));
  if (whole === undefined) throw problem.tooLarge(maxInflatedBytes);
  return whole;
}

/** The request as OTLP's JSON is parsed, whatever its encoding; 400 when it is none, 413 when it holds too many values. */
export function otlpRequest({ type, bytes }: OtlpBody, request: OtlpRequest): unknown {
  if (type === "application/x-protobuf") return readProtobuf(bytes, request);
  if (bytes.length === 0) return {};
  requireFewJsonParts(bytes, request.mostParts);
  // Broken UTF-8 is no reason to lose a log: it is shown as U+FFFD.
  if (request === logsRequest) return parseJson(bytes.toString("utf8"));
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const { tooDeep } = scanJson(text, { maxDepth, verbatim: undefined });
  if (tooDeep !== undefined) {
    throw problem.malformed(
      "too_deep",
      `The JSON is nested too deeply: at most ${maxDepth} levels are allowed.`,
      tooDeep,
    );
  }
  return parseJson(text) ?? {};
}

function typeOf(c: AppContext): OtlpBody["type"] {
  const [given = ""] = (requestHeader(c, "content-type") ?? "").split(";");
  const type = given.trim().toLowerCase();
  if (type === "application/json" || type === "application/x-protobuf") return type;
  if (type === "" && !hasBody(c)) return "application/json";
  throw problem.unsupportedMediaType(
    "Send the body as application/x-protobuf or application/json.",
  );
}

function encodingOf(c: AppContext): "gzip" | undefined {
  const encoding = (requestHeader(c, "content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "gzip") return encoding;
  if (encoding === "identity" || encoding === "") return undefined;
  throw problem.unsupportedMediaType("Content-Encoding must be gzip or absent.");
}

/** Stops at this many bytes: undefined when there are more. */
async function inflate(body: Buffer, maxOutputLength: number): Promise<Buffer | undefined> {
  try {
    return await unzip(body, { maxOutputLength, chunkSize: zlibStep(maxOutputLength) });
  } catch (error) {
    const isTooLarge =
      error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) return undefined;
    throw malformed();
  }
}

const malformed = (): Error =>
  problem.malformed("malformed_gzip", "The body is not valid gzip data, or it is incomplete.");
