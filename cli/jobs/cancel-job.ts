import { cancelJobsRoute, openStatuses } from "../../shared/api/bulk-runner-jobs.ts";
import { cancelJobRoute } from "../../shared/api/control-runner-jobs.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { printItem } from "../output/print.ts";
import { jobDetails } from "./job-view.ts";
import { bulkFlags, confirmCounted, readMatching, requireNoFilter } from "./matching-jobs.ts";

export const cancelJob = defineCommand({
  name: "job cancel",
  summary: "Cancel a job, or all jobs that match. A running job is asked to stop.",
  details:
    "With filters it counts the jobs that match and asks first. Cancelled jobs cannot be restored, but can be run again.",
  args: { job: { summary: "The job's id.", offers: "jobs", isOptional: true } },
  flags: {
    status: {
      value: "STATUS",
      isRepeatable: true,
      choices: openStatuses,
      summary: "Only jobs in this status.",
    },
    ...bulkFlags,
  },
  examples: [
    { does: "Cancel a job.", run: "svc job cancel job_…" },
    {
      does: "Cancel what waits for a runner.",
      run: "svc job cancel --runner run_… --status queued --status available",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (args.job === undefined) {
      const filter = readMatching(flags, openStatuses);
      const counted = await confirmCounted(call, filter, {
        isApproved: flags.yes,
        verb: "Cancel",
        more: "Running ones are asked to stop.",
      });
      if (counted !== undefined) return await cancelMatching({ call, screen }, counted);
      screen.say("Nothing was cancelled. To cancel without being asked, add --yes.");
      return exitCodes.failed.code;
    }
    requireNoFilter(flags);
    const job = await call(cancelJobRoute, { params: { job_id: args.job } });
    printItem(screen, job, jobDetails);
    screen.say(`Run it again: svc job rerun ${job.body.id}`);
    return exitCodes.ok.code;
  },
});

type Matching = ReturnType<typeof readMatching<(typeof openStatuses)[number]>>;

/** As many requests as it takes. */
async function cancelMatching(
  { call, screen }: Pick<CommandCall, "call" | "screen">,
  body: Matching,
): Promise<number> {
  let [cancelled, stopping] = [0, 0];
  for (;;) {
    const answer = (await call(cancelJobsRoute, { body })).body;
    cancelled += answer.cancelled;
    stopping += answer.told_to_stop;
    if (!answer.has_more || answer.cancelled === 0) break;
    screen.say(`${cancelled} cancelled so far …`);
  }
  if (screen.format === "table") {
    const jobs = cancelled === 1 ? "1 job was" : `${cancelled} jobs were`;
    screen.out(`${jobs} cancelled${stopping > 0 ? `; ${stopping} told to stop` : ""}.`);
  } else screen.out(JSON.stringify({ cancelled, told_to_stop: stopping }));
  return exitCodes.ok.code;
}
