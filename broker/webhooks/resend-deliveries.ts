import type { Delivery, ResendDeliveries } from "../../shared/api/webhook-deliveries.ts";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { topics } from "../wake/wakes.ts";
import { type Resent, resendRows } from "./delivery-queries.ts";
import { deliveryRows } from "./delivery-rows.ts";
import { requireWebhook } from "./require-webhook.ts";

type Parts = Pick<Broker, "db" | "wakes">;

const mostResent = 10_000;

/** Has a delivery made once more, and tried once; 409 while it is pending, or where its webhook is disabled. */
export async function resendDelivery(
  parts: Parts,
  orgId: OrgId,
  { webhookId, id }: { readonly webhookId: string; readonly id: string },
): Promise<Delivery> {
  const named = { webhook_id: webhookId, delivery_id: id };
  const row = await deliveryRows.find(parts.db, orgId, named);
  if (row === undefined) throw problem.notFound("delivery");
  if ((await resend(parts, orgId, webhookId, { deliveryId: id })) === 0) {
    const detail = "This delivery is not over: it is tried again by itself.";
    throw problem.conflict("delivery_pending", detail);
  }
  return deliveryRows.toItem((await deliveryRows.find(parts.db, orgId, named)) ?? row);
}

/** Has the deliveries that fit made once more, each tried once; 409 where their webhook is disabled. */
export async function resendDeliveries(
  parts: Parts,
  orgId: OrgId,
  { webhookId, filter }: { readonly webhookId: string; readonly filter: ResendDeliveries },
): Promise<{ readonly resent: number; readonly hasMore: boolean }> {
  await requireWebhook(parts.db, orgId, webhookId);
  const resent = await resend(parts, orgId, webhookId, { ...filter, most: mostResent });
  return { resent, hasMore: resent === mostResent };
}

async function resend(
  { db, wakes }: Parts,
  orgId: OrgId,
  webhookId: string,
  which: Resent,
): Promise<number> {
  const count = await resendRows(db, orgId, webhookId, which);
  if (count === undefined) {
    const detail = "This webhook is disabled. Ping it: when the ping arrives, it is enabled.";
    throw problem.conflict("webhook_disabled", detail);
  }
  if (count > 0) wakes.notify([topics.webhook(webhookId)]);
  return count;
}
