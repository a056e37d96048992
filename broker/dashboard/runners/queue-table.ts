import { html } from "hono/html";
import type { RunnerQueue } from "../../../shared/api/runner.ts";
import type { Html } from "../page.ts";
import { meter } from "../parts/meter.ts";
import { table } from "../parts/table.ts";

/** The queues of a runner's job groups: those that have a slot or a job first; the rest are told by name. */
export function queueTable(queues: readonly RunnerQueue[]): Html {
  const used = queues.filter(
    (queue) => queue.slots + queue.depth + queue.in_flight + queue.stopping > 0,
  );
  const rest = queues.filter((queue) => !used.includes(queue)).map(({ name }) => groupName(name));
  return html`${
    used.length === 0
      ? html`<p class="dim">No job group has a slot or a job now.</p>`
      : table(
          "Job groups with a slot or a job",
          [
            { head: "Job group", cell: ({ name }) => groupName(name) },
            {
              head: "Running",
              kind: "figure",
              cell: (queue) => meter(queue.in_flight, queue.slots),
            },
            { head: "Waiting", kind: "figure", cell: ({ depth }) => depth },
            { head: "Still stopping", kind: "figure", cell: ({ stopping }) => stopping },
            { head: "Offered", kind: "figure", cell: ({ offered }) => offered },
            { head: "Allowed", kind: "figure", cell: ({ max_in_flight: most }) => most },
            { head: "Held", cell: ({ held }) => held ?? "–" },
          ],
          used,
        )
  }
  ${rest.length === 0 ? "" : html`<p class="dim">Nothing in ${rest.join(", ")}.</p>`}`;
}

/** A job group as it is read; the one of runner-local has no name. */
export function groupName(name: string): string {
  return name === "" ? "(no group)" : name;
}
