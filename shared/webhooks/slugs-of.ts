import { type EventTransition, eventTransitions } from "./event-resources.ts";

/** What an event is about, in the words of subscriptions; an `op` that no subscription lists reaches only those to all events. */
export type EventSubject = {
  readonly resource: string;
  readonly op: string;
  readonly transition: EventTransition;
};

/** The slugs by which subscriptions choose an event: of its resource, of what was done, of what is told, and of how it ended. */
export function slugsOf({ resource, op, transition }: EventSubject): string[] {
  const { event, outcomes } = eventTransitions[transition];
  return [
    `resource:${resource}`,
    `op:${resource}.${op}`,
    `event:${event}`,
    ...outcomes.map((outcome) => `outcome:${outcome}`),
  ];
}
