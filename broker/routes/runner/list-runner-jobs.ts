import { listRunnerJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { problem } from "../../../shared/problem.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { AppContext, RegisterRoutes } from "../../http/app-types.ts";
import { unknownParameter } from "../../http/gate/unknown-parameter.ts";
import { toJobFilter } from "../../jobs/job-filter.ts";
import { listJobs } from "../../jobs/list-jobs.ts";
import { pollJobs } from "../../jobs/poll-jobs.ts";
import { hasRunner } from "../../jobs/queries.ts";
import type { JobRow } from "../../jobs/row.ts";
import { showJobTo } from "../../jobs/show-job-to.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

const defaultLimit = 60;
const mostLimit = 100;
const known = new Set(Object.keys(listRunnerJobsRoute.request.query.shape));

/** GET /v1/runners/{runner_id}/jobs: the array that runners poll, or, with `cursor`, pages for people. */
export const listRunnerJobs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(listRunnerJobsRoute, async ({ c, actor, params: { runner_id: runnerId }, query }) => {
    const { orgId, runnerId: ownRunnerId } = actor;
    const { cursor, limit: asked, offset = 0, ...narrowed } = query;
    const isRunner = ownRunnerId !== null;
    const show = showJobTo(actor);
    const toItem = (row: JobRow) => show(toRunnerJob(row));
    if (!isRunner && !(await hasRunner(db, orgId, runnerId))) throw problem.notFound("runner");

    const filter = { ...toJobFilter(narrowed, actor), runnerId };
    const limit = Math.min(asked || defaultLimit, mostLimit);
    if (c.req.query("cursor") === undefined) {
      const rows = await pollJobs(broker, orgId, { filter, limit, offset, isRunner });
      return rows.map(toItem);
    }
    requireKnown(c);
    const filters = { runnerId, ...narrowed };
    const rows = await listJobs(db, orgId, filter, readPage({ cursor, limit }, filters));
    return toPage(c, rows, { limit, filters, toItem });
  });
};

/** Runners' queries are lenient; the list for people is as strict as any other. */
function requireKnown(c: AppContext): void {
  const unknown = Object.keys(c.req.queries()).filter(
    (name) => name === "offset" || !known.has(name),
  );
  if (unknown.length === 0) return;
  const allowed = [...known].filter((name) => name !== "offset");
  throw problem.invalid(unknown.map((name) => unknownParameter(name, allowed)));
}
