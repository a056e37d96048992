import { setTimeout as sleep } from "node:timers/promises";
import { bePatient } from "../../client/waits/be-patient.ts";
import { waitForJobRoute } from "../../shared/api/follow-runner-jobs.ts";
import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RouteAnswer } from "../../shared/api/route.ts";
import type { CommandCall } from "../command.ts";
import { isEnd, type JobTarget, type Standing, standingOf } from "./job-target.ts";

type Answer = RouteAnswer<typeof getJobRoute>;
type Awaited = { readonly answer: Answer; readonly standing: Standing };
type Awaiting = {
  readonly target: JobTarget;
  readonly deadlineMs: number;
  /** Each time it was looked at. */
  readonly onLook: (answer: Answer) => void;
  /** Whether somebody looks on, and wants to see where it stands. */
  readonly isWatched: boolean;
};

const longestPollMs = 25_000;
const watchedPollMs = 5_000;
const pauseMs = 500;
/** So long a broker may be away: no longer than there is time. */
const usualAbsenceMs = 60_000;
const leastAbsenceMs = 2_000;

/** Waits until a job is where it is waited for, or never will be, or the time is up. */
export async function awaitJob(
  { call }: Pick<CommandCall, "call">,
  jobId: string,
  { target, deadlineMs, onLook, isWatched }: Awaiting,
): Promise<Awaited> {
  const params = { job_id: jobId };
  const longestMs = isWatched ? watchedPollMs : longestPollMs;
  for (;;) {
    const askedMs = Date.now();
    const leftMs = deadlineMs - askedMs;
    const wait = `${Math.ceil(Math.max(1, Math.min(longestMs, leftMs)))}ms`;
    // A parked request is answered by an end, and by nothing else.
    const answer = await bePatient(
      async () =>
        isEnd(target)
          ? await call(waitForJobRoute, { params, query: { wait } })
          : await call(getJobRoute, { params }),
      { absenceMs: Math.max(leastAbsenceMs, Math.min(usualAbsenceMs, leftMs)) },
    );
    onLook(answer);
    const standing = standingOf(answer.body, target);
    if (standing !== "open" || Date.now() >= deadlineMs) return { answer, standing };
    // A broker that goes away answers at once; the next one must not be asked in a tight circle.
    const restMs = Math.min(pauseMs - (Date.now() - askedMs), deadlineMs - Date.now());
    if (restMs > 0) await sleep(restMs);
  }
}
