import { isUtf8 } from "node:buffer";
import { problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { type JsonBody, parseBody } from "./parse-body.ts";
import { hasBody, readBody } from "./read-body.ts";

const mebibyte = 1024 * 1024;
const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;
const nothing: ReadonlyMap<string, string> = new Map();

/** The bytes of a body that says that it is JSON. */
export function readJsonBytes(c: AppContext, rule: RouteRule): Buffer | Promise<Buffer> {
  if (hasBody(c)) requireJsonType(c);
  return readBody(c, maxBytes(rule));
}

/** The JSON of a body's bytes; an empty body is `{}`, and a runner's `null`, too. */
export function jsonOf(bytes: Buffer, rule: RouteRule): JsonBody {
  if (bytes.length === 0) return { value: {}, text: "", verbatim: nothing };
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The body is not valid UTF-8.");
  return parseBody(bytes.toString("utf8"), rule);
}

/** The most bytes that a body of the route may have. */
export function maxBytes({ maxBody }: RouteRule): number {
  if (maxBody === "64 MiB") return 64 * mebibyte;
  return maxBody === "16 MiB" ? 16 * mebibyte : mebibyte;
}

function requireJsonType(c: AppContext): void {
  const type = requestHeader(c, "content-type");
  if (type === undefined || !jsonType.test(type)) {
    throw problem.unsupportedMediaType("Send the body as application/json in UTF-8.");
  }
  const encoding = requestHeader(c, "content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw problem.unsupportedMediaType(
      "Content-Encoding is not supported here. Send the body uncompressed.",
    );
  }
}
