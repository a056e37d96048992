import type { Broker } from "../broker.ts";

/** What tasks use of a broker. */
export type TaskParts = Pick<Broker, "db" | "config" | "log" | "seals">;

/** A piece of background work. It may run again after a failure, and on another broker. */
export type Task = (
  broker: TaskParts,
  work: { readonly payload: unknown; readonly signal: AbortSignal },
) => Promise<void>;
