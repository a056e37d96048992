import type { ProblemKind, StatsOverview } from "../../shared/api/stats-overview.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** The overview as lines of words. */
export const overviewDetails: View<StatsOverview> = {
  nameOf: ({ problems }) => problems.flatMap(({ items }) => items.map(({ id }) => id)).join("\n"),
  columns: {
    "as of": ({ as_of: asOf }) =>
      asOf === null ? "not sampled yet: try again in a few seconds" : `${formatAge(asOf)} ago`,
    queued: ({ jobs: { queued, oldest_waiting_at: oldest } }) =>
      oldest === null ? String(queued) : `${queued}, the oldest for ${formatAge(oldest)}`,
    "in progress": ({ jobs: { in_progress: running }, slots }) =>
      `${running} (${slots.in_use} of ${slots.capacity} ${slots.capacity === 1 ? "slot" : "slots"} in use)`,
    "last hour": ({ last_hour: { enqueued, ...ends } }) =>
      [`${enqueued} enqueued`, ...Object.entries(ends).flatMap(countText)].join(", "),
    runners: ({ runners: { online, busy, offline, other } }) =>
      [
        `${online} online (${busy} busy)`,
        `${offline} offline`,
        ...countText(["other", other]),
      ].join(", "),
    signals: ({ signals: { waiting, in_flight: running } }) =>
      `${waiting} waiting, ${running} in flight`,
    problems: ({ problems }) =>
      problems.length === 0 ? "none" : problems.map(problemText).join("\n"),
  },
};

function countText([what, count]: readonly [string, number]): string[] {
  return count === 0 ? [] : [`${count} ${what.replaceAll("_", " ")}`];
}

const meanings: Record<ProblemKind, string> = {
  "jobs-failed": "did not succeed",
  "jobs-without-taker": "no process takes its jobs",
  "queue-paused": "paused, signals wait",
  "runner-offline": "not online, jobs wait",
  "runner-paused": "paused, jobs wait",
  "shutdown-stuck": "a shutdown is not obeyed",
  "signals-dead": "has dead signals",
  "webhook-failing": "failing, events wait",
  "workflow-waiting": "waits for somebody",
  "workspace-blocked": "blocked",
};

function problemText({ kind, count, items }: StatsOverview["problems"][number]): string {
  const lines = items.map(({ id, name, since, waiting }) => {
    const facts = [
      name,
      meanings[kind],
      waiting === null ? "" : kind === "signals-dead" && waiting >= 100 ? "100+" : String(waiting),
      since === null ? "" : `since ${formatAge(since)}`,
    ];
    return `${id}  ${facts.filter((fact) => fact !== "").join("  ")}`;
  });
  return [...lines, ...(count > items.length ? [`and ${count - items.length} more`] : [])].join(
    "\n",
  );
}
