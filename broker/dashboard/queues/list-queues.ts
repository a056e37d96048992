import { html } from "hono/html";
import type { Queue } from "../../../shared/api/queue.ts";
import { listQueuesRoute } from "../../../shared/api/queues.ts";
import { queueStatuses } from "../../../shared/queue.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { listPage } from "../parts/list-page.ts";
import { meter } from "../parts/meter.ts";
import { table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

/** GET /queues: the org's queues, and how full each is. */
export const listQueues = listPage({
  path: "/queues",
  permission: "queues.read",
  title: "Queues",
  icon: "queues",
  one: "queue",
  filters: {
    status: { label: "Status", values: queueStatuses },
    name: { label: "Name", placeholder: "exactly" },
    owner_type: { label: "Owner's type" },
    owner_id: { label: "Owner" },
  },
  read: async (view, query) => await view.ask(listQueuesRoute, { query }),
  show: (items, { nowMs }) => queueTable(items, nowMs),
  whenNone: html`Create one: <code>svc queue create --name installs</code>`,
  live: ["minute"],
});

function queueTable(queues: readonly Queue[], nowMs: number): Html {
  return table(
    "Queues, the newest first; then those of runners",
    [
      { head: "Queue", cell: linkOf },
      {
        head: "Status",
        cell: ({ status_v2: { status } }) => badge(status, status === "idle" ? "off" : undefined),
      },
      {
        head: "Owner",
        kind: "minor",
        cell: ({ owner_id: id, owner_type: type }) => html`${type} <span class="id">${id}</span>`,
      },
      { head: "Waiting", kind: "figure", cell: ({ depth }) => depth },
      {
        head: "In flight",
        kind: "figure",
        cell: (queue) => meter(queue.in_flight, queue.max_in_flight),
      },
      { head: "Oldest", cell: ({ oldest_at: at }) => timeAgo(at, nowMs) },
      { head: "Backing off", kind: "minor", cell: ({ delayed }) => delayed },
    ],
    queues,
  );
}

/** The queue of a runner's job group is shown with its runner. */
function linkOf({ id, name, owner_id: owner, owner_type: type }: Queue): Html {
  return type === "runner" && !id.startsWith("que_")
    ? html`<a href="/runners/${owner}">${name || "(no group)"}</a>`
    : html`<a href="/queues/${id}">${name}</a>`;
}
