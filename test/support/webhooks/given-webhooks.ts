import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { toEnvelope } from "../../../broker/events/to-envelope.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import { insertWebhook } from "../../../broker/webhooks/queries.ts";
import { slugsOf } from "../../../shared/webhooks/slugs-of.ts";

/** A webhook with a delivery that nobody makes. */
export async function givenDelivery(
  db: Db,
  { orgId }: { readonly orgId: OrgId },
): Promise<{ readonly webhookId: string; readonly deliveryId: string }> {
  const webhookId = await givenWebhook(db, { orgId, url: "http://127.0.0.1:1/delivery" });
  const [deliveryId, eventId, workflowId] = [newId("whd"), newId("evt"), newId("wfl")];
  const slugs = slugsOf({ resource: "runners", op: "inactive", transition: "failed" });
  const data = {
    workflow: { id: workflowId, type: "runner_inactive" },
    outcome: { status: "failed", error: "it was silent", duration_ms: 5 },
    links: {},
  };
  const event = {
    id: eventId,
    org_id: orgId,
    kind: "workflow",
    transition: "failed",
    workflow_id: workflowId,
    step_id: null,
    slugs,
    data,
    created_at: new Date(),
  } as const;
  await db`
    with event as (
      insert into events (id, org_id, kind, transition, workflow_id, workflow_type, seq, slugs, entities, data, body, created_at,
                          fanned_out_at)
      values (${eventId}, ${orgId}, 'workflow', 'failed', ${workflowId}, 'runner_inactive', 1, ${slugs}, '[]',
              ${JSON.stringify(data)}::text::jsonb, ${await toEnvelope(event)}, ${event.created_at}, svc_now())
      returning *
    )
    insert into webhook_deliveries (id, org_id, webhook_id, event_id, workflow_id, seq, stream, status, created_at, finished_at)
    select ${deliveryId}, org_id, ${webhookId}, id, id, 1, id, 'failed', created_at, created_at from event`;
  return { webhookId, deliveryId };
}

/** A webhook for all events of the org, at an address where nobody listens unless told. */
export async function givenWebhook(
  db: Db,
  { orgId, url = "http://127.0.0.1:1/" }: { readonly orgId: OrgId; readonly url?: string },
): Promise<string> {
  const id = newId("whk");
  const draft = {
    id,
    url,
    url_key: url,
    interests: JSON.stringify({ all_events: true }),
    match: null,
    created_by_id: "",
  };
  const outcome = await insertWebhook(db, orgId, draft, { secret: undefined, most: 1000 });
  if (outcome !== "created") throw new Error(`create_webhook answered ${outcome ?? "nothing"}`);
  return id;
}
