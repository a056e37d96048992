import { expect } from "vitest";
import type { Db } from "../../../broker/database/connect.ts";
import {
  workflowEventSchema,
  workflowStepEventSchema,
} from "../../../shared/api/workflow-events.ts";
import { eventTransitions } from "../../../shared/webhooks/event-resources.ts";
import type { StoredEvent } from "../../../shared/webhooks/stored-event.ts";

type KeptEvent = StoredEvent & { readonly body: string | null };

/** Every event that is kept here is as the API's document describes it: nothing is missing, and nothing is there besides. */
export async function expectSoundEvents(db: Db): Promise<void> {
  const [known] = await db<{ is: boolean }[]>`select to_regclass('events') is not null as is`;
  if (known?.is !== true) return;
  const events = await db<KeptEvent[]>`
    select id, org_id, kind, transition, workflow_id, step_id, slugs, data, created_at, body from events order by tx, n limit 2000`;
  for (const event of events) await expectSoundEvent(event);
}

async function expectSoundEvent(event: KeptEvent): Promise<void> {
  const { toEnvelope } = await import("../../../broker/events/to-envelope.ts");
  expectDescribed(
    event.body ?? (await toEnvelope({ ...event, data: { ...event.data, links: {} } })),
  );
}

/** The text is what the API's document says of webhooks, and says the same in all places that repeat another. */
export function expectDescribed(text: string): void {
  const value = JSON.parse(text) as Envelope;
  const { svckind: kind, svctransition: transition, data } = value;
  const schema = kind === "workflow" ? workflowEventSchema : workflowStepEventSchema;
  expect(schema.parse(value)).toEqual(value);
  expect(data).toMatchObject({ kind, transition, org_id: value.svcorgid });
  const ids = [data.workflow.id, ...(data.step === undefined ? [] : [data.step.id])];
  expect(value.subject).toBe([value.svcorgid, kind, ...ids, transition].join("/"));
  const { event, outcomes } = eventTransitions[transition];
  expect(value.interests).toContain(`event:${event}`);
  expect(value.interests.filter((slug) => slug.startsWith("outcome:"))).toHaveLength(
    outcomes.length,
  );
  expect(data.outcome?.status).toBe(outcomes.length > 0 ? transition : undefined);
  expect(data.outcome !== undefined && "error" in data.outcome).toBe(transition === "failed");
  expect(data.approval !== undefined).toBe(event.startsWith("approval."));
  expect(data.approval?.response_type !== undefined).toBe(event === "approval.response");
  expect(data.drift !== undefined).toBe(event === "drift.detected");
  expect(Buffer.byteLength(text)).toBeLessThan(64 * 1024);
}

type Envelope = {
  readonly subject: string;
  readonly interests: readonly string[];
  readonly svcorgid: string;
  readonly svckind: "workflow" | "workflow_step";
  readonly svctransition: keyof typeof eventTransitions;
  readonly data: {
    readonly workflow: { readonly id: string };
    readonly step?: { readonly id: string };
    readonly outcome?: { readonly status: string };
    readonly approval?: { readonly response_type?: string };
    readonly drift?: object;
  };
};
