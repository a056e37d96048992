import type { EventKind, EventTransition } from "../../shared/webhooks/event-resources.ts";

/** A delivery with what its event is, as its lists and reads find it. */
export type DeliveryRow = {
  readonly id: string;
  readonly webhook_id: string;
  readonly event_id: string;
  readonly workflow_id: string;
  readonly seq: number;
  readonly stream: string;
  readonly status: "pending" | "delivered" | "failed";
  readonly attempts: number;
  readonly is_resent: boolean;
  readonly response_status: number | null;
  readonly error_code: string | null;
  readonly next_at: Date | null;
  readonly last_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
  readonly kind: EventKind;
  readonly transition: EventTransition;
};
