import type { GivenDashboard } from "./given-dashboard.ts";
import { givenQueueViews } from "./given-queue-views.ts";
import { givenRunnerViews } from "./given-runner-views.ts";
import { givenWorkspaceViews } from "./given-workspace-views.ts";
import { hostile, type View } from "./view.ts";

/** Rows for the pages of runners, groups, queues, emitters, workspaces and tokens, and where each page shows them. */
export async function givenFleetViews(dashboard: GivenDashboard): Promise<View[]> {
  const own = await dashboard.call<{ id: string }>("GET /v1/tokens/current");
  await dashboard.call("PATCH /v1/orgs/current", {
    body: { name: hostile, retention_days: { logs: 7 } },
  });
  return [
    ...(await givenRunnerViews(dashboard)),
    ...(await givenQueueViews(dashboard)),
    ...(await givenWorkspaceViews(dashboard)),
    { path: "/audit", address: "/audit", has: "Events, the newest first" },
    { path: "/audit", address: "/audit?action=nothing", has: "No event fits these filters" },
    { path: "/org", address: "/org", has: "the organisation", whenEmpty: "the broker" },
    { path: "/org", address: "/org/change", has: "cannot be restored" },
    { path: "/tokens", address: "/tokens", has: "(yours)" },
    { path: "/tokens", address: `/tokens/${own.body.id}/revoke`, has: "this session ends" },
  ];
}
