import { problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { hasBody, readBody } from "./read-body.ts";

const mebibyte = 1024 * 1024;
const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;\s*charset\s*=\s*"?utf-?8"?\s*)?$/i;

/** The bytes of a body that says that it is JSON. */
export function readJsonBytes(c: AppContext, rule: RouteRule): Buffer | Promise<Buffer> {
  if (hasBody(c)) requireJsonType(c);
  return readBody(c, maxBytes(rule));
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
