import type { QueueStatus } from "../../shared/queue.ts";

/** A queue with its counters, as its lists and reads find it. */
export type QueueRow = {
  readonly id: string;
  readonly org_id: string;
  readonly name: string;
  readonly owner_id: string;
  readonly owner_type: string;
  /** Whose lane it is; null: it was made by hand. */
  readonly install_id: string | null;
  readonly app_id: string | null;
  readonly idle_timeout: number;
  readonly metadata: Readonly<Record<string, string>>;
  readonly status: QueueStatus;
  readonly status_description: string;
  readonly status_at: Date;
  readonly paused_until: Date | null;
  readonly paused_note: string | null;
  readonly paused_by_id: string | null;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly created_by_id: string;
  readonly max_depth: number;
  readonly max_in_flight: number;
  readonly waiting: number;
  readonly delayed: number;
  readonly in_flight: number;
  readonly bytes: number;
  /** When the first in line was enqueued. */
  readonly oldest_at: Date | null;
};
