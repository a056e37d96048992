import { finalStatuses, rerunJobsRoute } from "../../shared/api/bulk-runner-jobs.ts";
import { rerunJobRoute } from "../../shared/api/control-runner-jobs.ts";
import { type CommandCall, defineCommand } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { printItem } from "../output/print.ts";
import { jobDetails } from "./job-view.ts";
import { bulkFlags, confirmCounted, readMatching, requireNoFilter } from "./matching-jobs.ts";

export const rerunJob = defineCommand({
  name: "job rerun",
  summary: "Enqueue a copy of a job, or of all ended jobs that match.",
  details:
    "With filters it counts the jobs that match and asks first. Each is enqueued separately, newest first; those that cannot be are listed, and then the exit code is 1.",
  args: { job: { summary: "The job's id.", offers: "jobs", isOptional: true } },
  flags: {
    status: {
      value: "STATUS",
      isRepeatable: true,
      choices: finalStatuses,
      summary: "Only jobs that ended in this status.",
    },
    ...bulkFlags,
  },
  examples: [
    { does: "Run the job again.", run: "svc job rerun job_…" },
    {
      does: "Run again what failed in the last hour.",
      run: "svc job rerun --status failed --since 1h",
    },
  ],
  run: async ({ args, flags, call, screen }) => {
    if (args.job === undefined) {
      const filter = readMatching(flags, finalStatuses);
      const counted = await confirmCounted(call, filter, {
        isApproved: flags.yes,
        verb: "Run again",
        more: "Each is enqueued as a new job.",
      });
      if (counted !== undefined) return await rerunMatching({ call, screen }, counted);
      screen.say("Nothing was enqueued. To run again without being asked, add --yes.");
      return exitCodes.failed.code;
    }
    requireNoFilter(flags);
    const job = await call(rerunJobRoute, { params: { job_id: args.job } });
    printItem(screen, job, jobDetails);
    screen.say(`Follow it: svc job wait ${job.body.id}`);
    return exitCodes.ok.code;
  },
});

type Matching = ReturnType<typeof readMatching<(typeof finalStatuses)[number]>>;

/** As many requests as it takes; each can be sent again without making a job twice. */
async function rerunMatching(
  { call, screen }: Pick<CommandCall, "call" | "screen">,
  filter: Matching,
): Promise<number> {
  const headers = { "idempotency-key": crypto.randomUUID() };
  let [enqueued, refused] = [0, 0];
  let cursor: string | undefined;
  do {
    const body = { ...filter, cursor };
    const answer = (await call(rerunJobsRoute, { body, headers })).body;
    enqueued += answer.enqueued;
    refused += answer.refused.length;
    for (const { runner_job_id: id, detail } of answer.refused) screen.say(`${id}: ${detail}`);
    cursor = answer.next_cursor ?? undefined;
    if (cursor !== undefined) screen.say(`${enqueued} enqueued so far …`);
  } while (cursor !== undefined);
  if (screen.format === "table") {
    const jobs = enqueued === 1 ? "1 job was" : `${enqueued} jobs were`;
    screen.out(`${jobs} enqueued${refused > 0 ? `; ${refused} refused` : ""}.`);
  } else screen.out(JSON.stringify({ enqueued, refused }));
  return refused > 0 ? exitCodes.failed.code : exitCodes.ok.code;
}
