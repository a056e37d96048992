import { listJobsRoute, listRunnerJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RouteAnswer } from "../../shared/api/route.ts";
import { runnerJobStatuses } from "../../shared/runner-job.ts";
import { defineList } from "../lists/define-list.ts";
import { jobLine } from "./job-view.ts";
import { jobFilterFlags, readJobFilter } from "./matching-jobs.ts";

type Page = RouteAnswer<typeof listJobsRoute>;

export const listJobs = defineList({
  name: "job list",
  summary: "List jobs, newest first.",
  flags: {
    status: {
      value: "STATUS",
      isRepeatable: true,
      choices: runnerJobStatuses,
      summary: "Only jobs in this status.",
    },
    ...jobFilterFlags,
  },
  examples: [
    {
      does: "List the jobs that failed in the last hour.",
      run: "svc job list --status failed --since 1h",
    },
    {
      does: "Print the ids of waiting jobs.",
      run: "svc job list --status queued --status available -o name",
    },
  ],
  view: jobLine,
  empty: "No jobs found. Create one: svc job create --runner RUNNER --type noop",
  read: async ({ flags, call, page }): Promise<Page> => {
    const query = {
      ...readJobFilter(flags),
      limit: page.limit ?? "50",
      cursor: page.cursor,
    };
    if (flags.runner === undefined) return await call(listJobsRoute, { query });
    const params = { runner_id: flags.runner };
    const cursor = page.cursor ?? "";
    const answer = await call(listRunnerJobsRoute, { params, query: { ...query, cursor } });
    return answer as Page; // with a cursor, even an empty one, it answers pages
  },
});
