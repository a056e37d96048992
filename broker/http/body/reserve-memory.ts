import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { hasBody } from "./read-body.ts";
import { maxBytes } from "./read-json.ts";

/** A larger body is read apart, and waits for room before it is read. */
export const largeBytes = 256 * 1024;
/** What a body takes that is passed on piece by piece. */
const streamedBytes = 4 * 1024 * 1024;

/**
 * Waits for the room that a large body takes, by what it says or else may have; answers how to give it back. What is
 * small, or refused for its size, needs none, and is not made to wait for a promise.
 */
export function reserveMemory(
  c: AppContext,
  broker: Broker,
  rule: RouteRule,
): Promise<() => void> | undefined {
  if (rule.maxBody === undefined || !hasBody(c)) return undefined;
  const said = Number(requestHeader(c, "content-length") ?? maxBytes(rule));
  if (said <= largeBytes || said > maxBytes(rule)) return undefined;
  const actor = c.get("actor");
  return broker.uploads.enter(
    {
      orgId: actor.orgId,
      tokenId: actor.tokenId ?? actor.id,
      bytes: rule.streamed === true ? Math.min(said, streamedBytes) : said,
    },
    c.req.raw.signal,
  );
}

/** Bytes whose memory is theirs alone, so that they can change hands. */
export function owned(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const isAlone = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  return isAlone ? new Uint8Array(bytes.buffer as ArrayBuffer) : new Uint8Array(bytes);
}
