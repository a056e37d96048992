import type { RouteAnswer } from "../../shared/api/call-route.ts";
import { listJobsRoute, listRunnerJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import { runnerJobGroups, runnerJobTypeNames } from "../../shared/runner-job-types.ts";
import { runnerJobStatuses } from "../../shared/runner-job.ts";
import { defineCommand } from "../command.ts";
import { pageFlags } from "../flags/global-flags.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { printPage } from "../output/print.ts";
import { jobLine } from "./job-view.ts";

type Page = RouteAnswer<typeof listJobsRoute>;

export const listJobs = defineCommand({
  name: "job list",
  summary: "List jobs, newest first.",
  flags: {
    runner: { value: "RUNNER", offers: "runners", summary: "Only this runner's." },
    status: {
      value: "STATUS",
      isRepeatable: true,
      choices: runnerJobStatuses,
      summary: "Only jobs in this status.",
    },
    type: { value: "TYPE", choices: runnerJobTypeNames, summary: "Only jobs of this type." },
    group: { value: "GROUP", choices: runnerJobGroups, summary: "Only jobs of this group." },
    "owner-id": { value: "ID", summary: "Only this owner's." },
    "owner-type": { value: "TYPE", summary: "Only of owners of this kind." },
    since: { value: "DURATION", summary: "Only jobs enqueued within this time, like 1h." },
    ...pageFlags,
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
  run: async ({ flags, call, screen }) => {
    const sinceNs = readDurationNs("--since", flags.since);
    const query = {
      status: flags.status.length === 0 ? undefined : [...flags.status],
      type: flags.type,
      group: flags.group,
      owner_id: flags["owner-id"],
      owner_type: flags["owner-type"],
      created_after:
        sinceNs === undefined ? undefined : new Date(Date.now() - sinceNs / 1e6).toISOString(),
      limit: flags.limit ?? "50",
      cursor: flags.cursor,
    };
    const page = await ask();
    printPage(screen, page, {
      ...jobLine,
      empty: "No jobs found. Create one: svc job create --runner RUNNER --type noop",
      more: "svc job list (with the same flags)",
    });

    async function ask(): Promise<Page> {
      if (flags.runner === undefined) return await call(listJobsRoute, { query });
      const params = { runner_id: flags.runner };
      const cursor = flags.cursor ?? "";
      const answer = await call(listRunnerJobsRoute, { params, query: { ...query, cursor } });
      return answer as Page; // with a cursor, even an empty one, it answers pages
    }
  },
});
