import type { Broker } from "../../broker.ts";
import type { AppContext } from "../app-types.ts";
import { requestHeader } from "../gate/request-header.ts";
import { hasManyJsonParts, mostValues } from "./require-few-json-parts.ts";
import { largeBytes, reserveFor } from "./reserve-memory.ts";

const noTexts: ReadonlyMap<string, string> = new Map();

/** Whether reading a body would keep other requests waiting: few bytes may hold many values, and checking each takes as long as in a large body. */
export const isCostlyBody = (bytes: Buffer): boolean =>
  bytes.length > largeBytes || hasManyJsonParts(bytes, mostValues);

/** Has a body read in a child process, for the request's handler. A small one has no memory reserved yet, and waits for it. */
export async function readApart(
  c: AppContext,
  broker: Broker,
  operationId: string,
  bytes: Buffer,
): Promise<void> {
  const { orgId } = c.get("actor");
  const leave =
    bytes.length > largeBytes ? undefined : await reserveFor(c, broker.uploads, bytes.length);
  try {
    const given = { orgId, bytes, gone: c.req.raw.signal };
    const isKeyed = requestHeader(c, "idempotency-key") !== undefined;
    const keyedIn = isKeyed ? c.req.param("queue_id") : undefined;
    const asked = { operationId, ...(keyedIn !== undefined && { keyedIn }) };
    const { value, longTexts, fingerprint, heldBytes } = await broker.bodies.read(asked, given);
    c.req.addValidatedData("json", value); // by the operation's schema
    c.set("longTexts", longTexts);
    c.set("heldBytes", heldBytes);
    if (fingerprint !== undefined) c.set("fingerprint", fingerprint);
    c.set("verbatim", noTexts);
  } finally {
    leave?.();
  }
}
