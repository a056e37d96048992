import { isUtf8 } from "node:buffer";
import { problem } from "../../../shared/problem.ts";
import type { RouteRule } from "../../../shared/route-rule.ts";
import { type JsonBody, parseBody } from "./parse-body.ts";

const nothing: Map<string, string> = new Map();

/** The JSON of a body's bytes; an empty body is `{}`, and so is `null`. */
export function jsonOf(bytes: Buffer, rule: RouteRule): JsonBody {
  if (bytes.length === 0) return { value: {}, text: "", verbatim: nothing };
  if (!isUtf8(bytes)) throw problem.malformed("body_not_utf8", "The body is not valid UTF-8.");
  return parseBody(bytes.toString("utf8"), rule);
}
