import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { FlagSpec } from "../../shared/command-line/command.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { formatDuration, secondNs } from "../../shared/duration.ts";
import { isFinal, type RunnerJobStatus } from "../../shared/runner-job.ts";
import type { CommandCall } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { readDurationNs } from "../flags/read-flags.ts";
import { printItem } from "../output/print.ts";
import { tableOf } from "../output/table.ts";
import { awaitJob } from "./await-job.ts";
import type { JobTarget, Standing } from "./job-target.ts";
import { jobDetails, jobLine } from "./job-view.ts";

/** The flags of every command that waits for jobs. */
export const waitFlags = {
  timeout: {
    value: "DURATION",
    summary: "Wait at most this long, like 10m. On timeout the exit code is 124.",
  },
  "exit-status": { summary: "Exit with a code for how the job ended." },
} as const satisfies Record<string, FlagSpec>;

/** The codes of --exit-status; 124 and 130 are the waiting's own. */
const codeByEnd: Readonly<Partial<Record<RunnerJobStatus, number>>> = {
  failed: 1,
  "timed-out": 8,
  cancelled: 9,
  "not-attempted": 10,
};

/** What a command that waits exits with, besides what every command does. */
export const waitCodes = [
  ["0", "The jobs reached what --for names; with --exit-status: they finished."],
  ["1", "A job can no longer reach what --for names; with --exit-status: it failed."],
  ["8, 9, 10", "With --exit-status: it timed out; it was cancelled; it was not attempted."],
  ["124", "--timeout has passed. The job continues."],
] as const;

type Flags = { readonly timeout: string | undefined; readonly "exit-status": boolean };
type Waiter = Pick<CommandCall, "call" | "screen"> & {
  readonly flags: Flags;
  readonly target: JobTarget;
};

const mostJobs = 100;
const secondMs = 1000;

/**
 * Waits for jobs at once, shows each as soon as its waiting is over, and answers the exit code: of several that of the
 * first, as they are named, that is not 0.
 */
export async function awaitJobs(waiter: Waiter, given: readonly string[]): Promise<number> {
  const { call, screen, flags, target } = waiter;
  const ids = [...new Set(given)];
  if (ids.length > mostJobs) throw new UsageError(`At most ${mostJobs} jobs can be waited for.`);
  const timeoutNs = readDurationNs("--timeout", flags.timeout) ?? Number.POSITIVE_INFINITY;
  const startMs = Date.now();
  // An id that is nobody's is told before anything is waited for.
  const all = await Promise.all(
    ids.map(async (id) => await call(getJobRoute, { params: { job_id: id } })),
  );
  const open = new Map(all.map(({ body }) => [body.id, body.status]));
  const tell = (): void => screen.status?.(statusWords(open, ids.length, Date.now() - startMs));
  const timer = setInterval(tell, secondMs);
  const show = ids.length === 1 ? undefined : rowPrinter(screen);
  try {
    const codes = await Promise.all(
      ids.map(async (id) => {
        const { answer, standing } = await awaitJob({ call }, id, {
          target,
          deadlineMs: startMs + timeoutNs / 1e6,
          onLook: ({ body }) => void open.set(id, body.status),
          isWatched: screen.status !== undefined,
        });
        open.delete(id);
        tell();
        if (standing === "open") screen.say(lateWords(answer.body, ids.length));
        else if (show === undefined) printItem(screen, answer, jobDetails);
        else show(answer);
        if (standing === "missed") screen.say(`${id} ended as ${answer.body.status}.`);
        return codeOf(answer.body, standing, flags["exit-status"]);
      }),
    );
    return codes.find((code) => code !== exitCodes.ok.code) ?? exitCodes.ok.code;
  } finally {
    clearInterval(timer);
    screen.status?.(undefined);
  }
}

function codeOf({ status }: RunnerJob, standing: Standing, isExitStatus: boolean): number {
  if (standing === "open") return exitCodes.timeout.code;
  const end = isExitStatus && isFinal(status) ? (codeByEnd[status] ?? exitCodes.ok.code) : 0;
  if (end !== exitCodes.ok.code) return end;
  return standing === "missed" ? exitCodes.failed.code : exitCodes.ok.code;
}

function lateWords({ id, status }: RunnerJob, count: number): string {
  const late = `${id} is ${status}: timed out waiting.`;
  return count > 1 ? late : `${late}\nSee why: svc job why ${id}`;
}

function statusWords(
  open: ReadonlyMap<string, RunnerJobStatus>,
  count: number,
  tookMs: number,
): string | undefined {
  const [first] = open;
  if (first === undefined) return undefined;
  const took = formatDuration(Math.floor(tookMs / secondMs) * secondNs);
  const more = open.size > 1 ? ` and ${open.size - 1} more` : "";
  const done = count > 1 ? `${count - open.size} of ${count} done; ` : "";
  return `${done}${first[0]} is ${first[1]}${more} … ${took}`;
}

type Shown = { readonly text: string; readonly body: RunnerJob };

/** Shows one job after the other, in a table below one head. */
function rowPrinter(screen: Waiter["screen"]): (job: Shown) => void {
  let widths: readonly number[] = [];
  return (job) => {
    if (screen.format !== "table") return printItem(screen, job, jobLine);
    const table = tableOf([job.body], jobLine.columns, widths);
    if (widths.length === 0) screen.out(table.head);
    widths = table.widths;
    screen.out(table.rows.join("\n"));
  };
}
