import type { Rollout } from "../../shared/api/rollouts.ts";
import { formatDuration } from "../../shared/duration.ts";
import { formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** How far it is: "3 of 10 done, 1 skipped". */
export function progressOf({ counts }: Rollout): string {
  const { waiting, ordered, done, skipped, failed } = counts;
  const all = waiting + ordered + done + skipped + failed;
  const rest = Object.entries({ ordered, skipped, failed })
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `, ${count} ${word}`);
  return `${done} of ${all} done${rest.join("")}`;
}

/** A rollout in a list. */
export const rolloutLine: View<Rollout> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    TYPE: ({ type }) => type,
    GROUP: ({ runner_group_id: group }) => group ?? "all",
    STATUS: ({ status }) => status,
    PROGRESS: progressOf,
    CREATED: ({ created_at: at }) => at,
    REASON: ({ reason }) => reason,
  },
};

/** A rollout by itself. */
export const rolloutDetails: View<Rollout> = {
  nameOf: ({ id }) => id,
  columns: {
    rollout: ({ id }) => id,
    type: ({ type }) => type,
    group: ({ runner_group_id: group }) => group ?? "all",
    status: ({ status, status_description: why }) => (why === "" ? status : `${status}: ${why}`),
    progress: progressOf,
    "at once": ({ max_at_once: most }) => String(most),
    "last processes": ({ include_last: isIncluded }) => (isIncluded ? "ordered too" : "skipped"),
    deadline: ({ deadline }) => formatDuration(deadline),
    reason: ({ reason }) => reason,
    created: ({ created_at: at }) => formatInstant(at),
    "ordered by": ({ created_by_id: id }) => id,
    "cancelled by": ({ cancelled_by_id: id }) => id ?? "",
  },
};
