import type { Broker } from "../broker.ts";

/** A piece of background work. It may run again after a failure, and on another broker. */
export type Task = (
  broker: Broker,
  work: { readonly payload: unknown; readonly signal: AbortSignal },
) => Promise<void>;
