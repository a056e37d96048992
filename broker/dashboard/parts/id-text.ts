import { html } from "hono/html";
import type { Html } from "../page.ts";

/** The end of an id is what tells it from its neighbours: their beginnings are the same instant. */
const tellingLength = 8;

/** A whole id; on a telephone what is before its end gives way. It is copied, and read aloud, whole. */
export function idText(id: string): Html {
  const at = Math.max(0, id.length - tellingLength);
  return html`<span class="whole"
    ><span class="lead">${id.slice(0, at)}</span>${id.slice(at)}</span
  >`;
}
