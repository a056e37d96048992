import { followJobsRoute, waitForJobRoute } from "../../../shared/api/follow-runner-jobs.ts";
import type { Broker } from "../../broker.ts";
import { answerJson } from "../../http/answer/answer-json.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { followJobs as followOrg } from "../../jobs/follow-jobs.ts";
import { readJob } from "../../jobs/read-job.ts";
import { isRunner, showJobTo } from "../../jobs/show-job-to.ts";
import { toJobEvent } from "../../jobs/to-job-event.ts";
import { waitForJob as waitForEnd } from "../../jobs/wait-for-job.ts";
import { waitMs } from "../../polls/park-poll.ts";
import { JsonPlaceholders } from "../../seals/json-placeholders.ts";

/** GET /v1/job-events */
export const followJobs: RegisterRoutes = (app, broker) => {
  app.handle(followJobsRoute, async ({ c, orgId, query, withPermit }) => {
    const { wait, limit, runner_id: runnerId, owner_id: ownerId } = query;
    const release = limitConcurrency(c, broker, "waits_of_token");
    const { rows, nextCursor } = await followOrg(broker, orgId, {
      cursor: c.req.query("cursor"), // an empty one is not an absent one here
      waitMs: waitMs(wait),
      limit,
      runnerId,
      ownerId,
      signal: c.req.raw.signal,
      withPermit: withPermit,
    }).finally(release);
    sayGoodbye(c, broker);
    return { items: rows.map(toJobEvent), next_cursor: nextCursor };
  });
};

/** GET /v1/runner-jobs/{job_id}/wait */
export const waitForJob: RegisterRoutes = (app, broker) => {
  app.handle(waitForJobRoute, async ({ c, actor, params, query, withPermit }) => {
    const { orgId } = actor;
    const release = limitConcurrency(c, broker, "waits_of_token");
    const row = await waitForEnd(broker, orgId, params.job_id, {
      waitMs: waitMs(query.wait),
      signal: c.req.raw.signal,
      withPermit: withPermit,
    }).finally(release);
    sayGoodbye(c, broker);
    const placeholders = new JsonPlaceholders();
    const value = await permitFor(
      c,
      broker,
    )(() => readJob({ ...broker, placeholders }, orgId, row, { withRole: !isRunner(actor) }));
    return answerJson(c, broker, { value: showJobTo(actor)(value), placeholders });
  });
};

/** A draining broker sends its followers to another one. */
function sayGoodbye(c: AppContext, { events }: Broker): void {
  if (events.draining.aborted) setHeader(c, "connection", "close");
}
