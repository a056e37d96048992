import { enqueueJobRoute } from "../../shared/api/enqueue-jobs.ts";
import { getResultRoute } from "../../shared/api/read-runner-job-executions.ts";
import type { RunnerJobExecutionResult } from "../../shared/api/runner-job-execution.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { RunnerJobOperation } from "../../shared/runner-job-types.ts";
import { cancelOnInterrupt } from "../jobs/cancel-on-interrupt.ts";
import { followJob } from "../jobs/follow-job.ts";
import { endWords } from "../jobs/job-end.ts";
import { waitingText } from "../jobs/job-view.ts";
import { withPlan } from "../jobs/plan-text.ts";
import { recordText } from "../logs/record-text.ts";
import type { PlanKind, Terminal } from "./plan-kind.ts";

type PlanJob = {
  readonly runnerId: string;
  readonly operation: RunnerJobOperation;
  readonly ownerId: string;
  readonly ownerType: string;
  /** Its plan's JSON. */
  readonly planText: string;
};

type RanJob = {
  readonly job: RunnerJob;
  /** Says the lines of the log that are the plan itself, for where it cannot be shown by itself. */
  readonly sayHeldBack: () => void;
};

/** Its lines in the log are the plan itself, which is shown by itself. */
const planStep = "diff";
const mostHeldBack = 2 ** 20;

/**
 * Enqueues a job and tells its log on standard error until it has ended, but the plan itself only where the job did not finish.
 * Ctrl-C cancels it.
 */
export async function runPlanJob(at: Terminal, kind: PlanKind, asked: PlanJob): Promise<RanJob> {
  const { call, screen } = at;
  const { runnerId, operation, ownerId, ownerType, planText } = asked;
  const connection = await at.connect();
  const body = {
    type: kind.type,
    operation,
    owner_id: ownerId,
    owner_type: ownerType,
    metadata: { "asked-by": `svc ${kind.noun}` },
  } as const;
  const params = { runner_id: runnerId };
  const bodyText = withPlan(JSON.stringify(body), planText);
  const { body: job } = await call(enqueueJobRoute, { params, body, bodyText });
  screen.say(`${job.id} is ${job.status}.`);
  const forget = cancelOnInterrupt(call, screen, job.id);
  const style = { isRaw: false, hasTimestamps: false, hasColor: false };
  let [heldBack, lastShown]: [string, string | undefined] = ["", undefined];
  const sayHeldBack = (): void => {
    if (heldBack !== "") screen.asIs.say(heldBack.trimEnd());
    heldBack = "";
  };
  try {
    const ended = await followJob(
      {
        call,
        connection,
        onRecord: async (record) => {
          const text = recordText(record, style);
          if (record.step === planStep) {
            if (heldBack.length < mostHeldBack) heldBack += `${text}\n`;
            return;
          }
          screen.asIs.say(text);
          lastShown = record.body;
          await screen.drained();
        },
        onProgress: screen.status,
        onLogLost: (why) => screen.say(`${why} See it all: svc log show ${job.id}`),
        onWaiting: ({ waiting }) => {
          if (waiting == null) return;
          screen.say(`It waits: ${waitingText(waiting).replaceAll("\n", "; ")}`);
        },
      },
      job,
    );
    if (ended.body.status !== "finished") sayHeldBack();
    screen.say(endWords({ ...ended.body, outputs: {} }, lastShown));
    return { job: ended.body, sayHeldBack };
  } finally {
    forget();
  }
}

/** The result of a job that has ended, with its contents; undefined when it brought none. */
export async function readJobResult(
  { call }: Pick<Terminal, "call">,
  job: Pick<RunnerJob, "id" | "final_runner_job_execution_id">,
): Promise<RunnerJobExecutionResult | undefined> {
  const executionId = job.final_runner_job_execution_id;
  if (executionId === null) return undefined;
  const params = { job_id: job.id, execution_id: executionId };
  return (await call(getResultRoute, { params })).body;
}
