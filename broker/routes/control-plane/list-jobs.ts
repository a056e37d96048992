import { listJobsRoute } from "../../../shared/api/read-runner-jobs.ts";
import { readPage, toPage } from "../../http/answer/paginate.ts";
import type { Door } from "../../http/app-types.ts";
import { toJobFilter } from "../../jobs/job-filter.ts";
import { listJobs as listPage } from "../../jobs/list-jobs.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";

/** GET /v1/runner-jobs */
export const listJobs: Door = (app, broker) => {
  app.openapi(listJobsRoute, async (c) => {
    const { cursor, limit, ...filters } = c.req.valid("query");
    const page = readPage({ cursor, limit }, filters);
    const rows = await listPage(broker.db, c.get("actor").orgId, toJobFilter(filters), page);
    return c.json(toPage(c, rows, { limit, filters, toItem: toRunnerJob }), 200);
  });
};
