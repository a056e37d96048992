import { type EventKind, type EventTransition, eventTypes } from "./event-resources.ts";

/** An event as its move wrote it. */
export type StoredEvent = {
  readonly id: string;
  readonly org_id: string;
  readonly kind: EventKind;
  readonly transition: EventTransition;
  readonly workflow_id: string;
  readonly step_id: string | null;
  readonly slugs: readonly string[];
  /** What `data` has besides what is above: workflow, step, parent, outcome, approval, drift, links. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: Date;
};

/** Who publishes: the same word from every broker, since ids are unique by themselves. */
const source = "svc";

/** The attributes of an event's envelope, `specversion` left out. */
export function attributesOf(event: StoredEvent) {
  const { id, kind, transition, org_id: orgId } = event;
  return {
    id,
    type: eventTypes[kind],
    source,
    time: event.created_at.toISOString(),
    subject: subjectOf(event),
    datacontenttype: "application/json",
    svcorgid: orgId,
    svckind: kind,
    svctransition: transition,
    interests: [...event.slugs],
    data: { kind, transition, org_id: orgId, ...event.data },
  };
}

function subjectOf({
  org_id: orgId,
  kind,
  workflow_id: workflowId,
  ...event
}: StoredEvent): string {
  const step = event.step_id === null ? [] : [event.step_id];
  return [orgId, kind, workflowId, ...step, event.transition].join("/");
}
