import type { Webhook } from "../../../shared/api/webhook.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";

/** How a webhook is. */
export function webhookBadge({ disabled_reason: reason, failing_since: since }: Webhook): Html {
  if (reason !== null) return badge(`disabled: ${reason}`, "bad");
  return since === null ? badge("active") : badge("failing", "warn");
}

/** Which events it wants: its resources with their ops. */
export function wantsWords({ interests }: Webhook): string {
  if (interests.all_events === true) return "all events";
  const wanted = Object.entries(interests.resources ?? {}).flatMap(([resource, interest]) =>
    interest === undefined ? [] : [`${resource}: ${interestWords(interest)}`],
  );
  return wanted.join("; ") || "nothing";
}

type Interest = NonNullable<
  NonNullable<Webhook["interests"]["resources"]>[keyof NonNullable<
    Webhook["interests"]["resources"]
  >]
>;

function interestWords(interest: Interest): string {
  const ops = interest.ops.length === 0 ? "all" : interest.ops.join(", ");
  const {
    approval_requests: asked,
    approval_responses: answered,
    drift_detected: drift,
  } = interest;
  const besides = [
    ...(asked ? ["approval requests"] : []),
    ...(answered ? ["approval responses"] : []),
    ...(drift ? ["drift"] : []),
  ];
  const lifecycle = interest.outcome === "none" ? [] : [`${ops} (${interest.outcome})`];
  return [...lifecycle, ...besides].join(", ") || "nothing";
}

/** Whose events it wants. */
export function matchWords({ match }: Webhook): string {
  return match === null ? "the whole org" : Object.keys(match).join(", ");
}
