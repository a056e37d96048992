import type { Delivery, ShownDelivery } from "../../shared/api/webhook-deliveries.ts";
import type { WebhookAttempt, WebhookPing, Webhook } from "../../shared/api/webhook.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = ({ id }: { readonly id: string }): string => id;

const wantedOf = ({ interests }: Webhook): string =>
  interests.all_events === true
    ? "all events"
    : Object.keys(interests.resources ?? {}).join(" ") || "nothing";

const stateOf = ({ disabled_reason: reason, failing_since: since }: Webhook): string => {
  if (reason !== null) return `disabled: ${reason}`;
  return since === null ? "active" : "failing";
};

/** A webhook as a line of a list. */
export const webhookLine: View<Webhook> = {
  nameOf,
  columns: {
    ID: nameOf,
    URL: ({ url }) => url,
    WANTS: wantedOf,
    OF: ({ match }) => (match === null ? "the org" : Object.keys(match).join(" ")),
    SIGNED: ({ has_secret: has }) => (has ? "yes" : "no"),
    STATE: stateOf,
    AGE: ({ created_at: at }) => formatAge(at),
  },
};

/** A webhook by itself. */
export const webhookDetails: View<Webhook> = {
  nameOf,
  columns: {
    webhook: nameOf,
    url: ({ url }) => url,
    interests: ({ interests }) => JSON.stringify(interests, null, 2),
    match: ({ match }) => (match === null ? "the whole org" : JSON.stringify(match, null, 2)),
    signed: ({ has_secret: has, previous_secret_until: until }) =>
      has ? (until === null ? "yes" : `yes; the previous secret is valid until ${until}`) : "no",
    state: stateOf,
    "failing since": ({ failing_since: at, failing_events: count }) =>
      at === null ? "" : `${formatInstant(at)}, ${count} events`,
    "disabled at": ({ disabled_at: at }) => formatInstant(at),
    created: ({ created_at: at }) => formatInstant(at),
  },
};

/** What came of a ping. */
export const pingDetails: View<WebhookPing> = {
  nameOf: ({ event_id: id }) => id,
  columns: {
    event: ({ event_id: id }) => id,
    result: ({ result }) => result,
    status: ({ response_status: status }) => (status === null ? "" : String(status)),
    time: ({ duration_ms: ms }) => `${ms} ms`,
    error: ({ error }) => error ?? "",
    answer: ({ response_body: body }) => body ?? "",
    enabled: ({ is_enabled_again: is }) => (is ? "it was disabled, and is enabled again" : ""),
    resent: ({ resent }) => (resent === 0 ? "" : String(resent)),
  },
};

/** A delivery as a line of a list. */
export const deliveryLine: View<Delivery> = {
  nameOf,
  columns: {
    ID: nameOf,
    WORKFLOW: ({ workflow_id: id }) => id,
    SEQ: ({ sequence }) => String(sequence),
    EVENT: ({ transition }) => transition,
    STATUS: ({ status }) => status,
    TRIES: ({ attempts }) => String(attempts),
    ANSWER: ({ response_status: status, error_code: code }) =>
      status === null ? (code ?? "") : String(status),
    AGE: ({ created_at: at }) => formatAge(at),
    NEXT: nextOf,
  },
};

/** One that is due already waits for its place behind earlier events of its workflow. */
function nextOf({ next_attempt_at: at }: Delivery): string {
  if (at === null) return "";
  return Date.parse(at) > Date.now() ? at : "in its turn";
}

/** A delivery by itself, with all its tries. */
export const deliveryDetails: View<ShownDelivery> = {
  nameOf,
  columns: {
    delivery: nameOf,
    event: ({ event_id: id, transition }) => `${id}, ${transition}`,
    workflow: ({ workflow_id: id, sequence }) => `${id}, its event ${sequence}`,
    status: ({ status, is_resent: isResent }) =>
      isResent ? `${status}; it was sent again, which is tried once` : status,
    next: nextOf,
    created: ({ created_at: at }) => formatInstant(at),
    tries: ({ attempt_log: log }) => log.map(tryLine).join("\n"),
    answer: ({ attempt_log: log }) => log.at(-1)?.response_body ?? "",
    body: ({ body }) => body,
  },
};

function tryLine({ number, started_at: at, ...tried }: WebhookAttempt): string {
  const { duration_ms: ms, response_status: status, error } = tried;
  return `${number}  ${at}  ${error ?? `It was answered with status ${status}.`} (${ms} ms)`;
}
