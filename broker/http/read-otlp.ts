import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { problem } from "../../shared/problem.ts";
import { zlibStep } from "../../shared/zlib-step.ts";
import type { AppContext } from "./app-types.ts";
import { hasBody, readBody } from "./read-body.ts";
import { parseJson } from "./read-json.ts";
import { requestHeader } from "./request-header.ts";
import { requireFewJsonParts } from "./require-few-json-parts.ts";
import { scanJson } from "./scan-json.ts";

/** A request of OTLP/HTTP. */
export type OtlpBody = {
  readonly type: "application/json" | "application/x-protobuf";
  /** As it is without its encoding. */
  readonly bytes: Buffer;
  /** As it came. */
  readonly sent: { readonly encoding: "gzip" | undefined; readonly body: Buffer };
};

const maxDepth = 64;
const unzip = promisify<Buffer, { maxOutputLength: number; chunkSize: number }, Buffer>(gunzip);
/** Logs compress to a tenth. */
const usualRatio = 10;

/** The body and its encoding, gzip undone; 415 for another type, 413 past either size, 400 for broken gzip. */
export async function readOtlp(
  c: AppContext,
  { maxBytes, maxInflatedBytes }: { readonly maxBytes: number; readonly maxInflatedBytes: number },
): Promise<OtlpBody> {
  const type = typeOf(c);
  const encoding = encodingOf(c);
  const body = await readBody(c, maxBytes);
  const bytes = encoding === "gzip" ? await inflate(body, maxInflatedBytes) : body;
  return { type, bytes, sent: { encoding, body } };
}

/** The JSON of such a body, with so many values at most (413); an empty one is `{}`. */
export function otlpJson({ bytes }: OtlpBody, mostParts: number): unknown {
  if (bytes.length === 0) return {};
  requireFewJsonParts(bytes, mostParts);
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The body is not UTF-8.");
  const text = bytes.toString("utf8");
  const { tooDeep } = scanJson(text, { maxDepth, verbatim: undefined });
  if (tooDeep !== undefined) {
    throw problem.malformed("too_deep", `JSON may nest ${maxDepth} deep at most.`, tooDeep);
  }
  return parseJson(text);
}

function typeOf(c: AppContext): OtlpBody["type"] {
  const [given = ""] = (requestHeader(c, "content-type") ?? "").split(";");
  const type = given.trim().toLowerCase();
  if (type === "application/json" || type === "application/x-protobuf") return type;
  if (type === "" && !hasBody(c)) return "application/json";
  throw problem.unsupportedMediaType(
    "The body must be sent as application/x-protobuf or application/json.",
  );
}

function encodingOf(c: AppContext): "gzip" | undefined {
  const encoding = (requestHeader(c, "content-encoding") ?? "identity").trim().toLowerCase();
  if (encoding === "gzip") return encoding;
  if (encoding === "identity" || encoding === "") return undefined;
  throw problem.unsupportedMediaType("The body's Content-Encoding may be gzip or none.");
}

async function inflate(body: Buffer, maxOutputLength: number): Promise<Buffer> {
  try {
    return await unzip(body, { maxOutputLength, chunkSize: zlibStep(body.length * usualRatio) });
  } catch (error) {
    const isTooLarge =
      error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE";
    if (isTooLarge) throw problem.tooLarge(maxOutputLength);
    throw problem.malformed("malformed_gzip", "The body is not gzip, or is cut off.");
  }
}
