import { html } from "hono/html";
import type { RunnerStrips } from "../../../shared/api/runner-availability.ts";
import type { Runner } from "../../../shared/api/runner.ts";
import { groupTitle } from "../groups/group-title.ts";
import type { Html } from "../page.ts";
import { badge } from "../parts/badge.ts";
import { meter } from "../parts/meter.ts";
import { availabilityText, knownMsOf, stateStrip } from "../parts/state-strip.ts";
import { type Column, table } from "../parts/table.ts";
import { timeAgo } from "../parts/time.ts";

type Shown = {
  readonly strips?: RunnerStrips | undefined;
  /** Left out where all are of one group. */
  readonly withGroups?: boolean;
  readonly nowMs: number;
};

/** What is shown of a runner, in lists and on its own page. */
type Listed = Pick<
  Runner,
  | "id"
  | "name"
  | "display_name"
  | "runner_group_id"
  | "runner_group_name"
  | "status"
  | "status_description"
  | "pause"
  | "process_summary"
  | "versions"
  | "queues"
>;

/** Runners, one a row, each with how it was in the last 24 hours. */
export function runnerTable(caption: string, runners: readonly Listed[], shown: Shown): Html {
  const { strips, withGroups = false, nowMs } = shown;
  const stripOf = new Map(strips?.items.map((item) => [item.runner_id, item]));
  const strip = ({ id, name }: Listed): Html | string => {
    const found = stripOf.get(id);
    if (strips === undefined || found === undefined) return "–";
    const served = availabilityText(found.availability, knownMsOf(found.periods));
    const label =
      served === "–"
        ? `${name}: too little is known of the last 24 hours`
        : `${name} served ${served} of what is known of the last 24 hours`;
    return html`<span class="strip-cell"
      >${stateStrip({ ...strips, periods: found.periods }, label)} <span>${served}</span></span
    >`;
  };
  const columns: (Column<Listed> | undefined)[] = [
    {
      head: "Runner",
      cell: (runner) => html`<a href="/runners/${runner.id}">${nameOf(runner)}</a>`,
    },
    { head: "Status", cell: runnerState },
    withGroups
      ? {
          head: "Group",
          kind: "minor",
          cell: ({ runner_group_id: id, runner_group_name: name }) =>
            html`<a href="/groups/${id}">${groupTitle({ id, name })}</a>`,
        }
      : undefined,
    { head: "Processes", kind: "figure", cell: ({ process_summary: processes }) => processes.live },
    {
      head: "Version",
      kind: "minor",
      cell: ({ process_summary: processes, versions }) =>
        versions.is_behind ? versions.summary : processes.versions.join(", ") || "–",
    },
    { head: "Busy", kind: "figure", cell: (runner) => busyMeter([runner]) },
    { head: "Waiting", kind: "figure", cell: ({ queues }) => sum(queues, "depth") },
    {
      head: "Last beat",
      kind: "minor",
      cell: ({ process_summary: processes }) => timeAgo(processes.last_seen_at, nowMs),
    },
    { head: "Last 24 hours", cell: strip },
  ];
  return table(
    caption,
    columns.filter((column) => column !== undefined),
    runners,
  );
}

/** How it is called. */
export function nameOf({
  name,
  display_name: shown,
}: Pick<Runner, "name" | "display_name">): string {
  return shown || name;
}

/** Its status; and that it is paused, which no status says. */
export function runnerState({
  status,
  status_description: description,
  pause,
}: Pick<Runner, "status" | "status_description" | "pause">): Html {
  return html`<span title="${description}">${badge(status)}</span>
    ${pause === null ? "" : badge("paused")}`;
}

/** Jobs in progress of all slots. */
export function busyMeter(runners: readonly Pick<Runner, "queues">[]): Html {
  const queues = runners.flatMap((runner) => runner.queues);
  return meter(sum(queues, "in_flight"), sum(queues, "slots"));
}

/** A count over queues. */
export function sum(
  queues: readonly Runner["queues"][number][],
  of: "depth" | "in_flight" | "slots" | "offered" | "stopping" | "available",
): number {
  return queues.reduce((total, queue) => total + queue[of], 0);
}
