import { html } from "hono/html";
import { getRunnerStripsRoute } from "../../../shared/api/runner-availability.ts";
import { type Runner, runnerLifecycles, runnerStatuses } from "../../../shared/api/runner.ts";
import { listRunnersRoute } from "../../../shared/api/runners.ts";
import type { Html, View } from "../page.ts";
import { listPage } from "../parts/list-page.ts";
import { runnerTable } from "./runner-table.ts";

/** GET /runners: the org's runners, and how each was in the last 24 hours. */
export const listRunners = listPage({
  path: "/runners",
  permission: "runners.read",
  title: "Runners",
  icon: "runners",
  one: "runner",
  filters: {
    status: { label: "Status", values: runnerStatuses },
    lifecycle: { label: "Lifecycle", values: runnerLifecycles },
    runner_group_id: { label: "Group", placeholder: "rgr_…" },
    name: { label: "Name", placeholder: "exactly" },
  },
  read: async (view, query) => await view.ask(listRunnersRoute, { query }),
  show: showRunners,
  whenNone: html`Create one: <code>svc runner create --name acme-production</code>`,
  live: ["jobs", "minute"],
});

async function showRunners(runners: readonly Runner[], view: View): Promise<Html> {
  const ids = runners.map(({ id }) => id).join(",");
  const strips = await view.ask(getRunnerStripsRoute, { query: { ids } });
  const shown = { strips, withGroups: true, nowMs: view.nowMs };
  return await runnerTable("Runners, the newest first", runners, shown);
}
