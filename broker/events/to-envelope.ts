import { attributesOf, type StoredEvent } from "../../shared/webhooks/stored-event.ts";

/** The text that receivers get: a CloudEvents 1.0 envelope as JSON. Write it once and keep it: signatures are of its bytes. */
export async function toEnvelope(event: StoredEvent): Promise<string> {
  const { CloudEvent } = await import("cloudevents"); // 12 MB: only once there is an event
  return JSON.stringify(new CloudEvent(attributesOf(event)));
}
