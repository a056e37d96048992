import { html } from "hono/html";
import { getJobPlanRoute } from "../../../shared/api/read-runner-jobs.ts";
import type { Page } from "../page.ts";
import { jsonBlock } from "../parts/code-block.ts";

/** GET /jobs/{job_id}/plan: what the job was enqueued with, as its reader may see it. */
export const showPlan: Page = {
  path: "/jobs/{job_id}/plan",
  permission: "plans.read",
  async render(view) {
    const jobId = view.param("job_id");
    const text = await view.ask(getJobPlanRoute, { params: { job_id: jobId } });
    const title = `Plan of ${jobId}`;
    return {
      title,
      main: html`<nav class="crumbs" aria-label="Place">
          <a href="/jobs">Jobs</a> <a class="id" href="/jobs/${jobId}">${jobId}</a>
        </nav>
        <h1>Plan</h1>
        ${view.can("plans.secrets") ? "" : html`<p class="dim">Secrets are hidden: your role lacks the permission plans.secrets.</p>`}
        ${jsonBlock(title, text, `GET /v1/runner-jobs/${jobId}/plan answers all of it.`)}`,
    };
  },
};
