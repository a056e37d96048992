import { html } from "hono/html";
import type { Rollout } from "../../../shared/api/rollouts.ts";
import { rolloutProgress } from "../../../shared/rollout-progress.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** Rollouts, the newest first. */
export function rolloutTable(caption: string, rollouts: readonly Rollout[], nowMs: number): Html {
  return table(
    caption,
    [
      {
        head: "Rollout",
        cell: ({ id }) => html`<a class="id" href="/rollouts/${id}">${id}</a>`,
      },
      { head: "Order", cell: ({ type }) => type },
      { head: "Status", cell: ({ status }) => badge(status) },
      { head: "Progress", cell: rolloutProgress },
      { head: "Runners", kind: "minor", cell: scopeOf },
      { head: "Reason", kind: "minor", cell: ({ reason }) => reason || "–" },
      { head: "Ordered", cell: ({ created_at: at }) => timeAgo(at, nowMs) },
    ],
    rollouts,
  );
}

/** Whose processes it orders. */
export function scopeOf({ runner_group_id: group }: Rollout): Html {
  if (group === null) return html`all of the org`;
  return html`<a class="id" href="/groups/${group}">${group}</a>`;
}

/** Whether it has not ended yet. */
export function isOpenRollout({ status }: Rollout): boolean {
  return status === "requested" || status === "in-progress";
}
