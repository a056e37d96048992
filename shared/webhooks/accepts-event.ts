import {
  driftWorkflows,
  type EventResource,
  eventResourceNames,
  eventResources,
  type InterestOutcome,
} from "./event-resources.ts";
import type { Interests } from "./interests.ts";
import { type Match, type MatchKind, matchKinds } from "./match.ts";

/** A thing that an event is about, with its labels of that instant. */
export type EventEntity = {
  readonly kind: MatchKind;
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
};

/** What decides who gets an event. */
export type EventFacts = {
  readonly workflow_type: string;
  readonly slugs: readonly string[];
  readonly entities: readonly EventEntity[];
};

export type Subscription = { readonly interests: Interests; readonly match: Match };

/** Whether a subscription gets an event: its interests and its match must both accept it. */
export function acceptsEvent({ interests, match }: Subscription, event: EventFacts): boolean {
  return isOfInterest(interests, event) && isMatched(match, event.entities);
}

function isOfInterest(interests: Interests, { workflow_type: type, slugs }: EventFacts): boolean {
  const told = valueOf(slugs, "event:");
  if (told.startsWith("lifecycle.") && driftWorkflows.includes(type)) return false;
  if ("all_events" in interests) return true;
  const resource = eventResourceNames.find((name) => name === valueOf(slugs, "resource:"));
  const interest = resource && interests.resources[resource];
  if (resource === undefined || interest === undefined) return false;
  if (told === "approval.request") return interest.approval_requests;
  if (told === "approval.response") return interest.approval_responses;
  if (told === "drift.detected") return interest.drift_detected;
  const op = valueOf(slugs, `op:${resource}.`);
  return isWantedOp(resource, interest.ops, op) && isWantedOutcome(interest.outcome, slugs);
}

function isWantedOp(resource: EventResource, wanted: readonly string[], op: string): boolean {
  const known: readonly string[] = eventResources[resource];
  return wanted.length === 0 ? known.includes(op) : wanted.includes(op);
}

function isWantedOutcome(outcome: InterestOutcome, slugs: readonly string[]): boolean {
  if (outcome === "all") return true;
  return outcome !== "none" && slugs.includes(`outcome:${outcome}`);
}

function valueOf(slugs: readonly string[], prefix: string): string {
  return slugs.find((slug) => slug.startsWith(prefix))?.slice(prefix.length) ?? "";
}

function isMatched(match: Match, entities: readonly EventEntity[]): boolean {
  if (match === null) return true;
  return matchKinds.some((kind) => {
    const wanted = match[kind];
    if (wanted === undefined) return false;
    return entities.some((entity) => entity.kind === kind && isWanted(wanted, entity));
  });
}

type MatchOfKind = NonNullable<NonNullable<Match>[MatchKind]>;

function isWanted({ ids, selector }: MatchOfKind, { id, labels }: EventEntity): boolean {
  if (ids === undefined && selector === undefined) return true;
  if (ids?.includes(id) === true) return true;
  if (selector === undefined) return false;
  return Object.entries(selector.match_labels).every(
    ([key, value]) => Object.hasOwn(labels, key) && (value === "*" || labels[key] === value),
  );
}
