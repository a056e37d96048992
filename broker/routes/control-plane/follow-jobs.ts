import { followJobsRoute, waitForJobRoute } from "../../../shared/api/follow-runner-jobs.ts";
import type { Broker } from "../../broker.ts";
import { answerJson } from "../../http/answer/answer-json.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { followJobs as followOrg } from "../../jobs/follow-jobs.ts";
import { readJob } from "../../jobs/read-job.ts";
import { showJobTo } from "../../jobs/show-job-to.ts";
import { toJobEvent } from "../../jobs/to-job-event.ts";
import { waitForJob as waitForEnd } from "../../jobs/wait-for-job.ts";
import { waitMs } from "../../polls/park-poll.ts";
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";

/** GET /v1/job-events */
export const followJobs: RegisterRoutes = (app, broker) => {
  app.openapi(followJobsRoute, async (c) => {
    const { wait, limit, runner_id: runnerId, owner_id: ownerId } = c.req.valid("query");
    const release = limitConcurrency(c, broker, "waits_of_token");
    const { rows, nextCursor } = await followOrg(broker, c.get("actor").orgId, {
      cursor: c.req.query("cursor"), // an empty one is not an absent one here
      waitMs: waitMs(wait),
      limit,
      runnerId,
      ownerId,
      signal: c.req.raw.signal,
      withPermit: permitFor(c, broker),
    }).finally(release);
    sayGoodbye(c, broker);
    return c.json({ items: rows.map(toJobEvent), next_cursor: nextCursor }, 200);
  });
};

/** GET /v1/runner-jobs/{job_id}/wait */
export const waitForJob: RegisterRoutes = (app, broker) => {
  app.openapi(waitForJobRoute, async (c) => {
    const actor = c.get("actor");
    const { orgId } = actor;
    const release = limitConcurrency(c, broker, "waits_of_token");
    const row = await waitForEnd(broker, orgId, c.req.valid("param").job_id, {
      waitMs: waitMs(c.req.valid("query").wait),
      signal: c.req.raw.signal,
      withPermit: permitFor(c, broker),
    }).finally(release);
    sayGoodbye(c, broker);
    const placeholders = new JsonPlaceholders();
    const value = await permitFor(
      c,
      broker,
    )(() => readJob({ ...broker, placeholders }, orgId, row));
    return answerJson(c, broker, { value: showJobTo(actor)(value), placeholders });
  });
};

/** A draining broker sends its followers to another one. */
function sayGoodbye(c: AppContext, { events }: Broker): void {
  if (events.draining.aborted) setHeader(c, "connection", "close");
}
