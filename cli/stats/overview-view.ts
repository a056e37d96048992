import type { StatsOverview } from "../../shared/api/stats-overview.ts";
import { formatAge } from "../output/format-age.ts";
import type { View } from "../output/print.ts";
import { problemsText } from "./problem-text.ts";

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
    problems: ({ problems }) => problemsText(problems),
  },
};

function countText([what, count]: readonly [string, number]): string[] {
  return count === 0 ? [] : [`${count} ${what.replaceAll("_", " ")}`];
}
