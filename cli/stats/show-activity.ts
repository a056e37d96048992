import {
  getWebhookStatsRoute,
  getWorkflowStatsRoute,
  type WebhookStats,
  type WorkflowStats,
} from "../../shared/api/activity-stats.ts";
import { formatDuration } from "../../shared/duration.ts";
import { statsSteps } from "../../shared/stats-steps.ts";
import { defineCommand } from "../command.ts";
import { readInstant } from "../flags/read-flags.ts";
import { formatTook } from "../output/format-age.ts";
import { printItem, printPage } from "../output/print.ts";
import type { Screen } from "../output/screen.ts";
import { counted, type Series, seriesLine, whatHappened } from "./job-stats-view.ts";

const flags = {
  since: { value: "DURATION", summary: "From then on: a duration ago like 24h, or an instant." },
  until: { value: "DURATION", summary: "Up to then: a duration ago, or an instant." },
  step: { value: "STEP", choices: statsSteps, summary: "From point to point." },
} as const;
const details =
  "A dot means that no broker ran at that time. With -o name, the names of the figures.";

export const showWorkflowStats = defineCommand({
  name: "stats workflows",
  summary: "Show how workflows ended, and how long they took, over time.",
  details,
  flags,
  examples: [{ does: "The last week.", run: "svc stats workflows --since 7d" }],
  run: async ({ flags: { since, until, step }, call, screen }) => {
    const range = { from: readInstant("--since", since), to: readInstant("--until", until) };
    const { text, body } = await call(getWorkflowStatsRoute, { query: { ...range, step } });
    print(screen, { text, body, series: ofWorkflows(body) });
  },
});

export const showWebhookStats = defineCommand({
  name: "stats webhooks",
  summary: "Show how calls to webhooks ended, and how long they took, over time.",
  details,
  flags,
  examples: [{ does: "The last day.", run: "svc stats webhooks --since 24h" }],
  run: async ({ flags: { since, until, step }, call, screen }) => {
    const range = { from: readInstant("--since", since), to: readInstant("--until", until) };
    const { text, body } = await call(getWebhookStatsRoute, { query: { ...range, step } });
    print(screen, { text, body, series: ofWebhooks(body) });
  },
});

const ofWorkflows = ({ ended, duration, types }: WorkflowStats): Series[] => [
  { name: "succeeded", values: ended.succeeded, show: counted },
  { name: "failed", values: ended.failed, show: counted },
  { name: "cancelled", values: ended.cancelled, show: counted },
  { name: "duration p50", values: duration.p50, show: formatTook },
  { name: "duration p95", values: duration.p95, show: formatTook },
  ...types.map(({ type, p95 }) => ({
    name: `duration p95, ${type}`,
    values: p95,
    show: formatTook,
  })),
];

const ofWebhooks = ({ calls, duration }: WebhookStats): Series[] => [
  { name: "delivered", values: calls.delivered, show: counted },
  { name: "failed", values: calls.failed, show: counted },
  { name: "answer p50", values: duration.p50, show: formatTook },
  { name: "answer p95", values: duration.p95, show: formatTook },
];

type Stats = Pick<WebhookStats, "at" | "step" | "from" | "to">;

function print(
  screen: Screen,
  {
    text,
    body,
    series,
  }: { readonly text: string; readonly body: Stats; readonly series: readonly Series[] },
): void {
  if (screen.format === "json" || screen.format === "ndjson") {
    printItem(screen, { text, body }, { nameOf: () => "", columns: {} });
    return;
  }
  printPage(
    screen,
    { text, body: { items: whatHappened(series), next_cursor: null } },
    { ...seriesLine, empty: "Nothing ended in that time.", more: "" },
  );
  screen.say(
    `${body.at.length} points of ${formatDuration(body.step)}, from ${body.from} to ${body.to}.`,
  );
}
