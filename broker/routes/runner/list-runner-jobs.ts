import { listRunnerJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import type { RunnerJobGroup } from "../../../shared/runner-job-types.ts";
import { problem } from "../../../shared/problem.ts";
import type { AppContext, Door } from "../../http/app-types.ts";
import { readPage, toPage } from "../../http/paginate.ts";
import { type AskedJobs, toJobFilter } from "../../jobs/job-filter.ts";
import { type JobFilter, listJobs } from "../../jobs/list-jobs.ts";
import { pollJobs } from "../../jobs/poll-jobs.ts";
import { hasRunner } from "../../jobs/queries.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

const defaultLimit = 60;
const mostLimit = 100;

/** GET /v1/runners/{runner_id}/jobs: the array that runners poll, or, with `cursor`, pages for people. */
export const listRunnerJobs: Door = (app, broker) => {
  app.openapi(listRunnerJobsRoute, async (c) => {
    const { runner_id: runnerId } = c.req.valid("param");
    const { orgId, runnerId: ownRunnerId } = c.get("actor");
    const { cursor, limit: asked, offset = 0, ...filters } = c.req.valid("query");
    const limit = Math.min(asked || defaultLimit, mostLimit);
    const filter = { ...toJobFilter(filters), runnerId };
    if (ownRunnerId === null && !(await hasRunner(broker.db, orgId, runnerId))) {
      throw problem.notFound("runner");
    }
    if (c.req.query("cursor") === undefined) {
      const poll = { filter, limit, offset, isRunner: ownRunnerId !== null };
      const rows = await pollJobs(broker, orgId, poll);
      return c.json(rows.map(toRunnerJob), 200);
    }
    requireKnown(c);
    const page = readPage({ cursor, limit }, { runnerId, ...filters });
    const rows = await listJobs(broker.db, orgId, filter, { afterId: page.after?.id, limit: limit + 1 });
    const keyOf = ({ id }: { id: string }) => ({ sortKey: "", id });
    const made = { limit, filters: { runnerId, ...filters }, keyOf, toItem: toRunnerJob };
    return c.json(toPage(c, rows, made), 200);
  });
};
