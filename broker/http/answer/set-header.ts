import type { AppContext } from "../app-types.ts";

/**
 * Sets a header of the answer whichever response the handler makes. On node's own response it costs nothing;
 * Hono's way would turn every answer into the slow kind.
 */
export function setHeader(c: AppContext, name: string, value: string): void {
  const { outgoing } = c.env ?? {};
  if (outgoing === undefined) c.header(name, value);
  else if (!outgoing.headersSent) outgoing.setHeader(name, value);
}
