import type { RouteRule } from "../../../shared/route-rule.ts";
import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { hasBody } from "./read-body.ts";
import { maxBytes } from "./read-json.ts";

/** A larger body is parsed in another process, and waits for memory before it is read. */
export const largeBytes = 256 * 1024;
/** What a body takes that is passed on piece by piece. */
const streamedBytes = 4 * 1024 * 1024;

/**
 * Waits for the memory that a large body needs, by its declared or else its largest size; returns a function that releases it. A body that is
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
  const budget = rule.heldAs === "configs" ? broker.configUploads : broker.uploads;
  return reserveFor(c, budget, rule.streamed === true ? Math.min(said, streamedBytes) : said);
}

/** Waits for the memory for so many bytes of a request; returns a function that releases it. */
export function reserveFor(
  c: AppContext,
  budget: Broker["uploads"],
  bytes: number,
): Promise<() => void> {
  const { orgId, tokenId, id } = c.get("actor");
  return budget.enter({ orgId, tokenId: tokenId ?? id, bytes }, c.req.raw.signal);
}
