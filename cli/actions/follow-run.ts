import { bePatient } from "../../client/waits/be-patient.ts";
import type { LogRecord } from "../../shared/api/log-streams.ts";
import { getJobRoute } from "../../shared/api/read-runner-jobs.ts";
import type { WholeWorkflow } from "../../shared/api/workflow.ts";
import type { CommandCall } from "../command.ts";
import { exitCodes } from "../errors/exit-codes.ts";
import { followJob } from "../jobs/follow-job.ts";
import { ownCode } from "../jobs/job-end.ts";
import { waitingText } from "../jobs/job-view.ts";
import { recordText } from "../logs/record-text.ts";
import { tellEnd, watchWorkflow } from "../workflows/follow-workflow.ts";

/** What `svc action run` exits with. */
export const runCodes = [
  ["1 to 255", "The exit code of the script that failed; 126, 127 and 128 + n as in a shell."],
  [
    "1",
    "The run did not succeed for another reason: it was denied or cancelled, or its agent was lost.",
  ],
  ["124", "The run timed out."],
  ["130", "Its job was cancelled, or Ctrl-C was pressed: the run itself continues."],
  [
    "2 to 6",
    "As for every command. If no run id was printed, svc could not start the run; if one was, svc could not follow it, and the run continues.",
  ],
] as const;

type Context = Pick<CommandCall, "call" | "connect" | "screen">;
type Run = {
  readonly workflowId: string;
  /** It has one step only, whose name says nothing. */
  readonly isLone: boolean;
};

/**
 * Tells the log of a run's jobs as it comes, and of what else its workflow does a line each, until it has ended or somebody must say
 * how it goes on after a failure. Answers the exit code: the failed script's own, 0 where all succeeded.
 */
export async function followRun(context: Context, run: Run): Promise<number> {
  const { screen } = context;
  const watch = watchWorkflow(context, run.workflowId);
  const seen = new Set<string>();
  let code: number = exitCodes.failed.code;
  for (;;) {
    const workflow = await watch.until((now) => isHeld(now) || nextJob(now, seen) !== undefined);
    const job = nextJob(workflow, seen);
    if (job !== undefined) {
      seen.add(job);
      code = await tellJob(context, run, job);
      continue;
    }
    tellEnd(screen, workflow);
    if (workflow.status.status === "success") return exitCodes.ok.code;
    return code === exitCodes.ok.code ? exitCodes.failed.code : code;
  }
}

const isHeld = ({ status: { status } }: WholeWorkflow): boolean =>
  status === "failed-pending-retry";

function nextJob({ steps }: WholeWorkflow, seen: ReadonlySet<string>): string | undefined {
  const jobs = steps.flatMap(({ runner_job_id: id }) => (id === null ? [] : [id]));
  return jobs.find((id) => !seen.has(id));
}

async function tellJob(
  { call, connect, screen }: Context,
  { isLone }: Run,
  jobId: string,
): Promise<number> {
  const { body: job } = await bePatient(
    async () => await call(getJobRoute, { params: { job_id: jobId } }),
  );
  const isRaw = isLone && !screen.isTerminal;
  const style = { isRaw, hasTimestamps: false, hasColor: screen.hasColor };
  const textOf = (record: LogRecord): string =>
    recordText(isLone ? { ...record, step: undefined } : record, style);
  const ended = await followJob(
    {
      call,
      connection: await connect(),
      onRecord: async (record) => {
        (screen.format === "table" ? screen.asIs.out : screen.asIs.say)(textOf(record));
        await screen.drained();
      },
      onProgress: screen.status,
      onLogLost: (why) => screen.say(`${why} See it all: svc log show ${jobId}`),
      onWaiting: ({ waiting }) => {
        if (waiting != null) screen.say(`It waits: ${waitingText(waiting).replaceAll("\n", "; ")}`);
      },
    },
    job,
  );
  return ownCode(ended.body);
}
