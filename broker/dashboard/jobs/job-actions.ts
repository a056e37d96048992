import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import { cancelJobRoute, rerunJobRoute } from "../../../shared/api/control-runner-jobs.ts";
import { getJobRoute } from "../../../shared/api/read-runner-jobs.ts";
import { problem } from "../../../shared/problem.ts";
import { isFinal } from "../../../shared/runner-job.ts";
import type { Action } from "../page.ts";

/** /jobs/{job_id}/cancel */
export const cancelJob: Action = {
  path: "/jobs/{job_id}/cancel",
  permission: "jobs.cancel",
  async ask(view) {
    const job = await view.ask(getJobRoute, { params: { job_id: view.param("job_id") } });
    if (isFinal(job.status)) {
      throw problem.conflict("job_final", `This job has already ended: it is ${job.status}.`);
    }
    const effect =
      job.status === "in-progress"
        ? "Its process is told to stop. What the job has changed so far stays changed."
        : "It has not begun, and never will.";
    return {
      title: `Cancel this ${job.type} job?`,
      text: html`<p>
        <code>${job.id}</code> of ${job.owner_type} ${job.owner_id} is ${job.status}. ${effect}
      </p>`,
      button: "Cancel the job",
      isDangerous: true,
      back: `/jobs/${job.id}`,
    };
  },
  async run(view) {
    const job = await view.ask(cancelJobRoute, { params: { job_id: view.param("job_id") } });
    return {
      said: `${job.id} is cancelled.`,
      to: `/jobs/${job.id}`,
      ...(view.can("jobs.write") && {
        undo: { label: "Run it again…", action: `/jobs/${job.id}/rerun` },
      }),
    };
  },
};

/** /jobs/{job_id}/rerun */
export const rerunJob: Action = {
  path: "/jobs/{job_id}/rerun",
  permission: "jobs.write",
  async ask(view) {
    const job = await view.ask(getJobRoute, { params: { job_id: view.param("job_id") } });
    return {
      title: `Run this ${job.type} job again?`,
      text: html`<p>
        A new job with the same plan, timeouts and owner is enqueued for the same runner.
        <code>${job.id}</code> stays as it is: ${job.status}.
      </p>`,
      fields: html`<input type="hidden" name="key" value="${randomUUID()}" />`,
      button: "Run it again",
      back: `/jobs/${job.id}`,
    };
  },
  async run(view, form) {
    const key = form.get("key") ?? "";
    const made = await view.ask(rerunJobRoute, {
      params: { job_id: view.param("job_id") },
      ...(/^[\w-]{8,64}$/.test(key) && { headers: { "idempotency-key": key } }),
    });
    return {
      said: `${made.id} was enqueued, as a rerun of ${view.param("job_id")}.`,
      to: `/jobs/${made.id}`,
      ...(view.can("jobs.cancel") && {
        undo: { label: "Cancel it…", action: `/jobs/${made.id}/cancel` },
      }),
    };
  },
};
