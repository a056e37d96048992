import { webhookDeliveries } from "../../shared/api/webhook-deliveries.ts";
import { rowsOf } from "../resources/rows-of.ts";

/** Deliveries with what their events are. */
export const deliveryRows = rowsOf(webhookDeliveries, {
  from: ["webhook_deliveries d join events e on e.org_id = d.org_id and e.id = d.event_id", "d"],
  indexedBy: "parent",
  besides: {
    event_type: "e.kind",
    transition: "e.transition",
    sequence: "d.seq",
    is_detached: "d.stream = d.id",
    next_attempt_at: "d.next_at",
  },
});
