import type { callbackKinds, callbackStatuses } from "../../shared/api/signal.ts";
import type { SignalStatus, signalEnds } from "../../shared/queue-signal.ts";

/** A signal with where it stands, without its data and its result. */
export type SignalRow = {
  readonly id: string;
  readonly org_id: string;
  readonly queue_id: string;
  readonly type: string;
  readonly owner_id: string;
  readonly owner_type: string;
  readonly context: Readonly<Record<string, unknown>>;
  readonly awaited_by: string | null;
  readonly caused_by: string | null;
  readonly emitter_id: string | null;
  readonly scheduled_for: Date | null;
  readonly dedupe_key: string | null;
  readonly expires_at: Date | null;
  readonly max_executions: number;
  readonly retry_delay: number;
  readonly created_at: Date;
  readonly created_by_id: string;
  readonly status: SignalStatus;
  readonly status_description: string;
  readonly status_at: Date;
  readonly execution_count: number;
  readonly worker: string | null;
  readonly lease_until: Date | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  /** What it was before, oldest first; its instants are text. */
  readonly history: readonly {
    readonly status: string;
    readonly description: string;
    readonly at: string;
  }[];
};

/** What follows the end of a signal. */
export type CallbackRow = {
  readonly signal_id: string;
  readonly n: number;
  readonly kind: (typeof callbackKinds)[number];
  readonly statuses: (typeof signalEnds)[number][];
  readonly status: (typeof callbackStatuses)[number];
  readonly status_description: string;
  readonly next_id: string;
  readonly queue_id: string | null;
  readonly type: string | null;
  readonly settled_at: Date | null;
};

/** The sealed parts of a signal, and its queue. */
export type SignalContentsRow = {
  readonly key_id: string | null;
  readonly contents: Buffer;
  readonly result_key_id: string | null;
  readonly result: Buffer | null;
};
