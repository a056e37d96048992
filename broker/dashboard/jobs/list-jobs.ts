import { html } from "hono/html";
import { listJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { listPage } from "../parts/list-page.ts";
import { bulkChoices } from "./bulk-actions.ts";
import { jobFilters, readJobFilters } from "./job-filters.ts";
import { jobTable } from "./job-table.ts";

/** GET /jobs: the org's jobs, the newest first. */
export const listJobs = listPage({
  path: "/jobs",
  permission: "jobs.read",
  title: "Jobs",
  icon: "jobs",
  one: "job",
  filters: jobFilters,
  async read(view) {
    const { filters, cursor } = readJobFilters(view.query);
    return await view.ask(listJobsRoute, {
      query: { ...filters, ...(cursor !== undefined && { cursor }) },
    });
  },
  show: (items, view) =>
    html`${bulkChoices(view)} ${jobTable("Jobs, the newest first", items, view.nowMs)}`,
  whenNone: html`Enqueue one: <code>svc job create --runner RUNNER --type noop</code>`,
  live: ["jobs"],
});
