import { problem } from "../../../shared/problem.ts";
import type { AppContext } from "../app-types.ts";
import { setHeader } from "./set-header.ts";

/**
 * A row's version as an ETag. Where an answer has more than the row, like settings of this broker, `besides` says what: it is in the tag, but
 * no change has to meet it.
 */
export const etagOf = (version: number, besides = ""): string =>
  `"${version}${besides === "" ? "" : `-${besides}`}"`;

/**
 * Sends the version as ETag and tells whether the caller has it already (If-None-Match): then answer
 * `c.body(null, 304)`.
 */
export function hasVersion(c: AppContext, version: number, besides = ""): boolean {
  const etag = etagOf(version, besides);
  setHeader(c, "etag", etag);
  setHeader(c, "cache-control", "private, no-cache");
  const sent = c.req.header("if-none-match");
  return sent !== undefined && matches(sent, etag);
}

/** The version a change must meet (If-Match), undefined for any; 412 for a tag that no version can have. */
export function requiredVersion(c: AppContext): number | undefined {
  const sent = c.req.header("if-match");
  if (sent === undefined || sent.trim() === "*") return undefined;
  const version = /^"(\d{1,15})(?:-[\w.]{1,100})?"$/.exec(sent.trim())?.[1];
  if (version === undefined)
    throw problem.preconditionFailed("The If-Match header is not an ETag of this resource.");
  return Number(version);
}

function matches(sent: string, etag: string): boolean {
  return sent.split(",").some((tag) => {
    const bare = tag.trim().replace(/^W\//, "");
    return bare === "*" || bare === etag;
  });
}
