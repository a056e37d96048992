import type { Rollout } from "../../shared/api/rollouts.ts";
import { formatDuration } from "../../shared/duration.ts";
import { rolloutProgress } from "../../shared/rollout-progress.ts";
import { formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

/** A rollout in a list. */
export const rolloutLine: View<Rollout> = {
  nameOf: ({ id }) => id,
  columns: {
    ID: ({ id }) => id,
    TYPE: ({ type }) => type,
    GROUP: ({ runner_group_id: group }) => group ?? "all",
    STATUS: ({ status }) => status,
    PROGRESS: rolloutProgress,
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
    progress: rolloutProgress,
    "at once": ({ max_at_once: most }) => String(most),
    "last processes": ({ include_last: isIncluded }) => (isIncluded ? "ordered too" : "skipped"),
    deadline: ({ deadline }) => formatDuration(deadline),
    reason: ({ reason }) => reason,
    created: ({ created_at: at }) => formatInstant(at),
    "ordered by": ({ created_by_id: id }) => id,
    "cancelled by": ({ cancelled_by_id: id }) => id ?? "",
  },
};
