import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import type { OrgId } from "../../../broker/orgs/org-id.ts";
import type { EventEntity } from "../../../shared/webhooks/accepts-event.ts";
import {
  type EventTransition,
  eventTransitions,
} from "../../../shared/webhooks/event-resources.ts";
import { slugsOf } from "../../../shared/webhooks/slugs-of.ts";

/** What a move would write. */
export type GivenEvent = {
  readonly orgId: OrgId;
  readonly workflowId?: string;
  readonly transition?: EventTransition;
  readonly resource?: string;
  readonly op?: string;
  readonly entities?: readonly EventEntity[];
};

/** Events of workflows, written in this order by one statement, as a move does. */
export async function givenEvents(db: Db, events: readonly GivenEvent[]): Promise<void> {
  const drafts = events.map((event) => {
    const { orgId, workflowId = newId("job"), transition = "succeeded" } = event;
    const { resource = "installs", op = "provision", entities = [] } = event;
    return {
      org_id: orgId,
      kind: "workflow",
      transition,
      workflow_id: workflowId,
      workflow_type: op,
      slugs: slugsOf({ resource, op, transition }),
      entities,
      data: { workflow: { id: workflowId, type: op }, ...outcomeOf(transition), links: {} },
    };
  });
  await db`select write_events(${JSON.stringify(drafts)}::text::jsonb, svc_now())`;
}

function outcomeOf(transition: EventTransition): object {
  const error = transition === "failed" ? { error: "it failed" } : {};
  const isEnd = eventTransitions[transition].outcomes.length > 0;
  return isEnd ? { outcome: { status: transition, ...error, duration_ms: 5 } } : {};
}
