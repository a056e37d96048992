import { givenAccessViews } from "./given-access-views.ts";
import { givenAppViews } from "./given-app-views.ts";
import type { GivenDashboard } from "./given-dashboard.ts";
import { givenFleetViews } from "./given-fleet-views.ts";
import { givenInstallViews } from "./given-install-views.ts";
import { givenJobViews } from "./given-job-views.ts";
import { givenWebhookViews } from "./given-webhook-views.ts";
import { hostile, type View } from "./view.ts";

/** Rows for every page, and where each page shows them. */
export async function givenViews(dashboard: GivenDashboard): Promise<View[]> {
  const { id: runnerId } = await dashboard.createRunner();
  const jobs: string[] = [];
  for (let count = 0; count < 60; count++) {
    const made = await dashboard.call<{ id: string }>(`POST /v1/runners/${runnerId}/jobs`, {
      body: { type: "noop", operation: "exec", owner_id: hostile.slice(0, 60), owner_type: "test" },
    });
    jobs.push(made.body.id);
  }
  const newest = jobs.at(-1) ?? "";
  return [
    { path: "/", address: "/", has: "Overview", whenEmpty: "No jobs yet" },
    { path: "/jobs", address: "/jobs", has: newest, whenEmpty: "No jobs yet" },
    { path: "/jobs", address: "/jobs?owner_id=nobody", has: "No job fits these filters" },
    ...(await givenJobViews(dashboard, hostile)),
    { path: "/account", address: "/account", has: "Permissions" },
    ...(await givenAppViews(dashboard)),
    ...(await givenInstallViews(dashboard)),
    ...(await givenWebhookViews(dashboard)),
    ...(await givenFleetViews(dashboard)),
    ...(await givenAccessViews(dashboard)),
  ];
}
