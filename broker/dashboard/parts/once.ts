import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import type { Html } from "../page.ts";

/** A form that is sent twice makes one thing; asked again after a fault, it is another. */
export const keyField = (): Html =>
  html`<input type="hidden" name="key" value="${randomUUID()}" />`;

/** The key of such a form, as the API takes it. */
export function keyOf(form: URLSearchParams): {
  readonly headers?: Readonly<Record<"idempotency-key", string>>;
} {
  const key = form.get("key") ?? "";
  return /^[\w-]{8,64}$/.test(key) ? { headers: { "idempotency-key": key } } : {};
}
