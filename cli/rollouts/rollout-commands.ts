import { setTimeout as sleep } from "node:timers/promises";
import {
  cancelRolloutRoute,
  createRolloutRoute,
  listRolloutProcessesRoute,
  rollouts,
  type Rollout,
  type RolloutTarget,
} from "../../shared/api/rollouts.ts";
import { shutdownTypes } from "../../shared/api/runner-process-shutdown.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { rolloutProgress } from "../../shared/rollout-progress.ts";
import { rolloutStatuses, rolloutTargetStatuses } from "../../shared/rollout.ts";
import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readWhole } from "../flags/read-flags.ts";
import { defineList } from "../lists/define-list.ts";
import { printItem, type View } from "../output/print.ts";
import type { Screen } from "../output/screen.ts";
import { rolloutDetails, rolloutLine } from "./rollout-view.ts";

const args = { rollout: { summary: "The rollout's id.", offers: "rollouts" } } as const;
const lookMs = 1000;

const startRollout = defineCommand({
  name: "rollout start",
  summary: "Shut down or restart the processes of many runners, a few at a time.",
  details:
    "Never two processes of one runner at once, and the last live process of a runner only with --include-last. " +
    "After the first failure no further process is ordered.",
  args: {},
  flags: {
    type: {
      value: "TYPE",
      choices: shutdownTypes,
      summary:
        "What is ordered: graceful drains a process and ends it, restart drains it and starts it again, force stops it and its jobs at once (default restart).",
    },
    group: {
      value: "GROUP",
      offers: "groups",
      summary: "The runner group whose processes are ordered.",
    },
    "whole-org": { summary: "Instead of --group: all groups of the org." },
    "max-at-once": { value: "N", summary: "How many processes at a time (default 1)." },
    "include-last": {
      summary:
        "Also the last live process of a runner, or its only one, which is otherwise skipped.",
    },
    deadline: { value: "DURATION", summary: "How long running jobs may continue (default 30m)." },
    reason: { value: "TEXT", summary: "The reason, visible to others." },
    wait: {
      summary:
        "Wait until it is over; exit code 1 unless it completed and at least one process was ordered.",
    },
  },
  examples: [
    {
      does: "Restart a group, two processes at a time.",
      run: 'svc rollout start --group rgr_… --max-at-once 2 --reason "new image" --wait',
    },
  ],
  run: async ({ flags, call, screen }) => {
    const { group, deadline, reason } = flags;
    if ((group === undefined) === !flags["whole-org"])
      throw new UsageError("Give either --group GROUP or --whole-org.");
    const body = {
      type: flags.type ?? "restart",
      ...(group === undefined ? { whole_org: true as const } : { runner_group_id: group }),
      max_at_once: readWhole("--max-at-once", flags["max-at-once"]) ?? 1,
      include_last: flags["include-last"],
      ...(deadline !== undefined && { deadline }),
      ...(reason !== undefined && { reason }),
    };
    const made = await call(createRolloutRoute, { body });
    if (!flags.wait) {
      printItem(screen, made, rolloutDetails);
      screen.say(`Follow it: svc rollout get ${made.body.id}`);
      return exitCodes.ok.code;
    }
    const params = { rollout_id: made.body.id };
    screen.say(`Rollout ${made.body.id}. To cancel it: svc rollout cancel ${made.body.id}`);
    for (;;) {
      const seen = await call(rollouts.get, { params });
      const { status } = seen.body;
      screen.status?.(isOver(seen.body) ? undefined : `${status}: ${rolloutProgress(seen.body)}`);
      if (isOver(seen.body)) {
        printItem(screen, seen, rolloutDetails);
        return status === "completed" && !sayIdle(screen, seen.body)
          ? exitCodes.ok.code
          : exitCodes.failed.code;
      }
      await sleep(lookMs);
    }
  },
});

/** Says that nobody was ordered, and what to do; false when somebody was, or there was nobody. */
function sayIdle(screen: Screen, { id, counts: { done, skipped } }: Rollout): boolean {
  if (done > 0 || skipped === 0) return false;
  screen.say(`All ${skipped} were skipped. Why: svc rollout processes ${id}`);
  screen.say("The last live process of a runner is ordered only with --include-last.");
  return true;
}

const isOver = ({ status }: Rollout): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

const listRollouts = defineList({
  name: "rollout list",
  summary: "List rollouts, newest first.",
  flags: {
    group: { value: "GROUP", offers: "groups", summary: "Only this runner group's." },
    status: { value: "STATUS", choices: rolloutStatuses, summary: "Only those in this status." },
  },
  examples: [{ does: "List those in progress.", run: "svc rollout list --status in-progress" }],
  view: rolloutLine,
  empty: "No rollouts found. Start one: svc rollout start",
  read: async ({ flags, call, page }) => {
    const { group: runner_group_id, status } = flags;
    return await call(rollouts.list, { query: { runner_group_id, status, ...page } });
  },
});

const getRollout = defineCommand({
  name: "rollout get",
  summary: "Show a rollout.",
  args,
  examples: [{ does: "Show its progress.", run: "svc rollout get rlo_…" }],
  run: async ({ args, call, screen }) => {
    const params = { rollout_id: args.rollout };
    printItem(screen, await call(rollouts.get, { params }), rolloutDetails);
  },
});

const processLine: View<RolloutTarget> = {
  nameOf: ({ process_id: id }) => id,
  columns: {
    PROCESS: ({ process_id: id }) => id,
    RUNNER: ({ runner_id: id }) => id,
    STATUS: ({ status }) => status,
    ORDERED: ({ ordered_at: at }) => at ?? "",
    ENDED: ({ ended_at: at }) => at ?? "",
    DESCRIPTION: ({ status_description: text }) => text,
  },
};

const listRolloutProcesses = defineList({
  name: "rollout processes",
  summary: "List the processes of a rollout, in the order in which they are asked.",
  args,
  flags: {
    status: {
      value: "STATUS",
      choices: rolloutTargetStatuses,
      summary: "Only those in this status.",
    },
  },
  examples: [
    {
      does: "Show which were skipped, and why.",
      run: "svc rollout processes rlo_… --status skipped",
    },
  ],
  view: processLine,
  empty: "It has no processes.",
  read: async ({ args, flags: { status }, call, page }) => {
    const params = { rollout_id: args.rollout };
    return await call(listRolloutProcessesRoute, { params, query: { status, ...page } });
  },
});

const cancelRollout = defineCommand({
  name: "rollout cancel",
  summary: "Cancel a rollout: no further process is ordered; what was ordered before still ends.",
  args,
  examples: [{ does: "Cancel it.", run: "svc rollout cancel rlo_…" }],
  run: async ({ args, call, screen }) => {
    const params = { rollout_id: args.rollout };
    printItem(screen, await call(cancelRolloutRoute, { params }), rolloutDetails);
  },
});

/** The commands of rollouts, in the order of help. */
export const rolloutCommands: readonly Command[] = [
  startRollout,
  listRollouts,
  getRollout,
  listRolloutProcesses,
  cancelRollout,
];
