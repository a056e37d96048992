import { mostOffset } from "../../../shared/api/page.ts";
import { listRunnerJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { problem } from "../../../shared/problem.ts";
import type { ListRequest } from "../../database/page-request.ts";
import { answerList } from "../../http/answer/answer-list.ts";
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
const allowed = Object.keys(listRunnerJobsRoute.request.query.shape).filter(
  (name) => name !== "offset" && name !== "page",
);

/** GET /v1/runners/{runner_id}/jobs: the array that runners poll, or, with `cursor`, pages for people. */
export const listRunnerJobs: RegisterRoutes = (app, broker) => {
  const { db } = broker;
  app.handle(listRunnerJobsRoute, async ({ c, actor, params: { runner_id: runnerId }, query }) => {
    const { orgId, runnerId: ownRunnerId } = actor;
    const { cursor, limit: asked, page, offset, statuses, groups, executor, ...own } = query;
    const isRunner = ownRunnerId !== null;
    const narrowed = isRunner ? own : { ...own, statuses, groups, executor }; // runners' polls never had these
    const show = showJobTo(actor);
    const toItem = (row: JobRow) => show(toRunnerJob(row));
    if (!isRunner && !(await hasRunner(db, orgId, runnerId))) throw problem.notFound("runner");

    const filter = { ...toJobFilter(narrowed, actor), runnerId };
    const limit = Math.min(asked || defaultLimit, mostLimit);
    if (c.req.query("cursor") === undefined) {
      const begin = page === undefined || page === 0 ? (offset ?? 0) : page * limit;
      const rows = await pollJobs(broker, orgId, {
        filter,
        limit,
        offset: Math.min(begin, mostOffset),
        isRunner,
      });
      return rows.map(toItem);
    }
    requireKnown(c);
    const filters = { runnerId, ...narrowed };
    return await answerList(
      c,
      { cursor, limit },
      { filters, read: (request: ListRequest) => listJobs(db, orgId, filter, request), toItem },
    );
  });
};

/** Runners' queries are lenient; the list for people is as strict as any other. */
function requireKnown(c: AppContext): void {
  const unknown = Object.keys(c.req.queries()).filter((name) => !allowed.includes(name));
  if (unknown.length === 0) return;
  throw problem.invalid(unknown.map((name) => unknownParameter(name, allowed)));
}
