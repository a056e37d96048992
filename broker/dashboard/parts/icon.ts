import { html, raw } from "hono/html";
import type { Html } from "../page.ts";

/** Outlines on a grid of 16: drawn for this dashboard. */
const outlines: Readonly<Record<string, string>> = {
  overview: "M2 9h4V2H2zM10 14h4V7h-4zM2 14h4v-2H2zM10 4h4V2h-4z",
  jobs: "M3 3h10v10H3zM6 8l1.5 1.5L10.5 6",
  runners: "M2 4h12v8H2zM5 15h6M5 7l2 1.5L5 10",
  groups: "M2 2h5v5H2zM9 2h5v5H9zM2 9h5v5H2zM9 9h5v5H9z",
  queues: "M2 4h12M2 8h9M2 12h6",
  emitters: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 5v3l2 2",
  workspaces: "M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3",
  apps: "M8 1.5l6 3.5v6l-6 3.5L2 11V5zM2 5l6 3.5L14 5M8 8.5v6",
  installs: "M2 13h12M4 13V6l4-3 4 3v7M7 13V9h2v4",
  workflows: "M2 4h4v3H2zM10 4h4v3h-4zM6 10h4v3H6zM6 5.5h4M4 7v4.5h2M12 7v4.5h-2",
  webhooks: "M4 12a2 2 0 1 0 0-.1zM4 10l4-7 4 7M10 12a2 2 0 1 0 0-.1zM6 12h4",
  tokens: "M10 2a4 4 0 1 1-3 6.6L3 12.6V14H2v-2l5-5A4 4 0 0 1 10 2z",
  org: "M3 14V3h6v11M9 7h4v7M2 14h12M5 6h2M5 9h2",
  audit: "M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3",
  ok: "M3 8.5l3.5 3.5L13 4.5",
  bad: "M4 4l8 8M12 4l-8 8",
  wait: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2zM8 5v3.5h3",
  run: "M5 3l8 5-8 5z",
  stop: "M4 4h8v8H4z",
  pause: "M5 3v10M11 3v10",
  warn: "M8 2l6.5 12h-13zM8 6.5v3.5M8 12v.1",
  none: "M4 8h8",
};

/** A small picture beside a word, which says the same: nothing is told by the picture or its color alone. */
export function icon(name: string): Html {
  const path = outlines[name] ?? outlines["none"] ?? "";
  return html`<svg class="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
    ${raw(`<path d="${path}"/>`)}
  </svg>`;
}
