import type { Broker } from "../../broker.ts";
import type { WithPermit } from "../../limits/permits.ts";
import type { Actor } from "../../tokens/actor.ts";
import type { AppContext } from "../app-types.ts";
import { permitFor } from "./with-permit.ts";

/** For routes with `ownPermit` whose work is done elsewhere: who asks, how a read takes its permit, and when nobody listens any more. */
export function askingOf(
  c: AppContext,
  broker: Broker,
): { readonly actor: Actor; readonly withPermit: WithPermit; readonly gone: AbortSignal } {
  return {
    actor: c.get("actor"),
    withPermit: permitFor(c, broker),
    gone: c.req.raw.signal,
  };
}
