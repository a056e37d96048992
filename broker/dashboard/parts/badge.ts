import { html } from "hono/html";
import type { Html } from "../page.ts";
import { icon } from "./icon.ts";

/** How a state looks: calm while all is as it should be. */
export type Tone = "good" | "bad" | "busy" | "wait" | "off" | "warn";

const pictures: Readonly<Record<Tone, string>> = {
  good: "ok",
  bad: "bad",
  busy: "run",
  wait: "wait",
  off: "none",
  warn: "warn",
};

const tones: Readonly<Record<string, Tone>> = {
  queued: "wait",
  available: "wait",
  "in-progress": "busy",
  finished: "good",
  healthy: "good",
  failed: "bad",
  "timed-out": "bad",
  "not-attempted": "bad",
  cancelled: "off",
  active: "good",
  offline: "bad",
  inactive: "bad",
  "awaiting-heartbeat": "wait",
  pending: "wait",
  "pending-shutdown": "warn",
  "shutting-down": "warn",
  "shut-down": "off",
  requested: "wait",
  completed: "good",
  idle: "off",
  paused: "warn",
  dead: "bad",
  retrying: "warn",
  expired: "off",
  fired: "good",
  done: "off",
  ordered: "busy",
  skipped: "off",
  waiting: "wait",
  stopping: "warn",
  allowed: "good",
  refused: "warn",
  blocked: "bad",
  locked: "busy",
  delivered: "good",
  syncing: "busy",
  outdated: "off",
  error: "bad",
  planning: "wait",
  building: "busy",
  policy_failed: "bad",
  deleting: "off",
  pass: "good",
  warn: "warn",
  deny: "bad",
  success: "good",
  approved: "good",
  "approval-awaiting": "warn",
  "checking-plan": "busy",
  "failed-pending-retry": "bad",
  "approval-denied": "bad",
  "approval-expired": "bad",
  "approval-retry": "off",
  "auto-skipped": "off",
  "user-skipped": "off",
  discarded: "off",
  created: "wait",
  provisioning: "busy",
  updating: "busy",
  degraded: "warn",
  deprovisioning: "busy",
  deprovisioned: "off",
  accepted: "good",
};

/** A status as the API names it, with its picture; one that is not known here is shown plainly. */
export function badge(status: string, tone: Tone = tones[status] ?? "off"): Html {
  return html`<span class="badge ${tone}">${icon(pictures[tone])}${status}</span>`;
}
