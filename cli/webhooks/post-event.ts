import { version } from "../../shared/version.ts";
import { signBody } from "../../shared/webhooks/sign-body.ts";
import { unknownId } from "../../shared/webhooks/unknown-id.ts";

/** A receiver that is posted to from here, and what signs. */
export type PostTo = { readonly url: URL; readonly secret: string };

/** An event on its way from here. */
export type Posted = {
  readonly body: string;
  /** What the broker's headers tell of a delivery; a sample has neither. */
  readonly sequence?: number;
  readonly attempt?: number;
  readonly signal?: AbortSignal;
};

/** What the receiver answered, or why it did not. */
export type PostAnswer =
  | { readonly status: number }
  | { readonly failure: string; readonly isTimeout: boolean };

const timeoutMs = 15_000;

/** Posts an event once, as a broker sends it to a webhook, signed; redirects are not followed. */
export async function postEvent(
  { url, secret }: PostTo,
  { body, sequence, attempt, signal }: Posted,
): Promise<PostAnswer> {
  const { id } = JSON.parse(body) as { id: string }; // an envelope
  const headers = {
    "content-type": "application/cloudevents+json; charset=utf-8",
    "user-agent": `svc-cli/${version}`,
    "x-svc-webhook-id": unknownId("whk"),
    ...(sequence !== undefined && { "x-svc-sequence": String(sequence) }),
    ...(attempt !== undefined && { "x-svc-attempt": String(attempt) }),
    ...signBody(secret, body, { id, at: new Date() }),
  };
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
    });
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    const isTimeout = timeout.aborted;
    return { failure: isTimeout ? "no answer within 15 s" : reasonOf(error), isTimeout };
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause ? String(cause.code) : "";
  return cause.message === "" ? code : cause.message;
}
