import { html } from "hono/html";
import type { Html } from "../page.ts";

const units = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
] as const;

/** "3 h 20 min", the two largest units; "0 s" for less than a second. */
export function durationText(seconds: number): string {
  let left = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [name, size] of units) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${name}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0 s" : parts.join(" ");
}

/** An instant as its distance from now; its title says it exactly, and the page's script keeps it true. */
export function timeAgo(instant: string | null | undefined, nowMs: number): Html {
  if (instant == null) return html`<span class="dim">–</span>`;
  const text = agoText((nowMs - Date.parse(instant)) / 1000);
  return html`<time datetime="${instant}" title="${exact(instant)}" data-ago>${text}</time>`;
}

/** "5 min ago", "in 5 min"; "now" within half a second. */
export function agoText(seconds: number): string {
  const text = durationText(Math.abs(seconds));
  if (text === "0 s") return "now";
  return seconds < 0 ? `in ${text}` : `${text} ago`;
}

/** The exact instant, in UTC. */
export function timeAt(instant: string | null | undefined): Html {
  if (instant == null) return html`<span class="dim">–</span>`;
  return html`<time datetime="${instant}">${exact(instant)}</time>`;
}

/** How long it took from one instant to another, or takes until now. */
export function timeBetween(from: string | null, to: string | null, nowMs: number): Html {
  if (from === null) return html`<span class="dim">–</span>`;
  const endMs = to === null ? nowMs : Date.parse(to);
  const text = durationText((endMs - Date.parse(from)) / 1000);
  if (to !== null) return html`${text}`;
  return html`<time datetime="${from}" data-since>${text}</time>`;
}

const exact = (instant: string): string => `${instant.slice(0, 19).replace("T", " ")} UTC`;
