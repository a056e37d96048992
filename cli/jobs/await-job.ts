import { setTimeout as sleep } from "node:timers/promises";
import type { RouteAnswer } from "../../shared/api/call-route.ts";
import { waitForJobRoute } from "../../shared/api/follow-runner-jobs.ts";
import type { FlagSpec } from "../../shared/command-line/command.ts";
import { isFinal } from "../../shared/runner-job.ts";
import type { CommandCall } from "../command.ts";
import { makePatience } from "../connection/absence.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { printItem } from "../output/print.ts";
import { jobDetails } from "./job-view.ts";

/** The flags of every command that waits for a job. */
export const waitFlags = {
  timeout: {
    value: "DURATION",
    summary: "Wait at most this long, like 10m. On timeout the exit code is 124.",
  },
  "exit-status": { summary: "Exit with 1 unless the job ends as finished." },
} as const satisfies Record<string, FlagSpec>;

type Flags = { readonly timeout: string | undefined; readonly "exit-status": boolean };
type Waiter = Pick<CommandCall, "call" | "screen"> & { readonly flags: Flags };

const longestPollMs = 25_000;
const pauseMs = 500;

/** Waits until the job is final, shows it, and answers the exit code; says so when the time is over before. */
export async function awaitJob({ flags, call, screen }: Waiter, jobId: string): Promise<number> {
  const timeoutNs = readDurationNs("--timeout", flags.timeout) ?? Number.POSITIVE_INFINITY;
  const deadlineMs = Date.now() + timeoutNs / 1e6;
  const patience = makePatience();
  for (;;) {
    const leftMs = Math.min(longestPollMs, deadlineMs - Date.now());
    const askedMs = Date.now();
    const job = await ask(call, jobId, Math.max(1, leftMs)).catch((error: unknown) => {
      patience.bear(error);
      return undefined;
    });
    if (job !== undefined) patience.heard();
    if (job !== undefined && isFinal(job.body.status)) {
      printItem(screen, job, jobDetails);
      const isGood = job.body.status === "finished" || !flags["exit-status"];
      return isGood ? exitCodes.ok.code : exitCodes.failed.code;
    }
    if (Date.now() >= deadlineMs) {
      screen.say(`${jobId} is ${job?.body.status ?? "unknown"}: timed out waiting.`);
      screen.say(`See why: svc job why ${jobId}`);
      return exitCodes.timeout.code;
    }
    // A broker that goes away answers at once; the next one must not be asked in a tight circle.
    if (Date.now() - askedMs < pauseMs) await sleep(pauseMs);
  }
}

async function ask(
  call: Waiter["call"],
  jobId: string,
  waitMs: number,
): Promise<RouteAnswer<typeof waitForJobRoute>> {
  const wait = `${Math.ceil(waitMs)}ms`;
  return await call(waitForJobRoute, { params: { job_id: jobId }, query: { wait } });
}
