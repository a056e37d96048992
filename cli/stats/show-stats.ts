import { getJobStatsRoute } from "../../shared/api/job-stats.ts";
import { getStatsOverviewRoute } from "../../shared/api/stats-overview.ts";
import { formatDuration } from "../../shared/duration.ts";
import { runnerJobGroups, runnerJobTypeNames } from "../../shared/runner-job-types.ts";
import { statsSteps } from "../../shared/stats-steps.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { readInstant } from "../flags/read-flags.ts";
import { printItem, printPage } from "../output/print.ts";
import { seriesLine, seriesOf } from "./job-stats-view.ts";
import { overviewDetails } from "./overview-view.ts";
import { nextSteps } from "./problem-text.ts";

const overview = {
  summary: "Show what waits, what runs, what failed in the last hour, and what needs a look.",
  details: "With -o name, the ids of what needs a look.",
  run: async ({ call, screen }: Pick<CommandCall, "call" | "screen">): Promise<void> => {
    const answer = await call(getStatsOverviewRoute, {});
    printItem(screen, answer, overviewDetails);
    if (screen.format === "table")
      for (const step of nextSteps(answer.body.problems)) screen.say(step);
  },
};

export const showStats = defineCommand({
  name: "stats",
  ...overview,
  examples: [{ does: "Show the overview.", run: "svc stats" }],
});

/** The word that most people try first. */
export const showStatus = defineCommand({
  name: "status",
  ...overview,
  examples: [{ does: "See what needs a look.", run: "svc status" }],
});

export const showJobStats = defineCommand({
  name: "stats jobs",
  summary: "Show throughput, latencies and depth over time.",
  details: "A dot means that no broker ran at that time. With -o name, the names of the figures.",
  flags: {
    since: { value: "DURATION", summary: "From then on: a duration ago like 24h, or an instant." },
    until: { value: "DURATION", summary: "Up to then: a duration ago, or an instant." },
    step: { value: "STEP", choices: statsSteps, summary: "From point to point." },
    group: { value: "GROUP", choices: runnerJobGroups, summary: "Only this job group." },
    type: { value: "TYPE", choices: runnerJobTypeNames, summary: "Only this job type." },
    "runner-group": { value: "ID", summary: "Only runners of this group." },
  },
  examples: [{ does: "The last day.", run: "svc stats jobs --since 24h" }],
  run: async ({ flags, call, screen }) => {
    const { since, until, step, group, type, "runner-group": runner_group_id } = flags;
    const range = { from: readInstant("--since", since), to: readInstant("--until", until) };
    const query = { ...range, step, group, type, runner_group_id };
    const { text, body } = await call(getJobStatsRoute, { query });
    if (screen.format === "json" || screen.format === "ndjson")
      return printItem(screen, { text, body }, { nameOf: () => "", columns: {} });
    printPage(
      screen,
      { text, body: { items: seriesOf(body), next_cursor: null } },
      { ...seriesLine, empty: "Nothing happened in that time.", more: "" },
    );
    screen.say(
      `${body.at.length} points of ${formatDuration(body.step)}, from ${body.from} to ${body.to}.`,
    );
  },
});
