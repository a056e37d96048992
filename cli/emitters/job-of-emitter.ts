import { SvcError } from "../../client/svc-error.ts";
import { createQueueRoute, listQueuesRoute } from "../../shared/api/queues.ts";
import { UsageError } from "../../shared/command-line/usage-error.ts";
import { runnerJobTypeNames } from "../../shared/runner-job-types.ts";
import type { Caller } from "../command.ts";
import { readInput } from "../connection/connection.ts";
import { requireObject, withMember } from "../flags/json-object.ts";
import { runnerFlag } from "../flags/runner-flag.ts";

/** How `emitter create` is given a job of a runner. */
export const jobFlags = {
  job: {
    value: "FILE",
    summary:
      "Enqueue this job at each tick: as JSON, with its type and plan; from a file or standard input (-).",
  },
  runner: runnerFlag("With --job: the runner."),
  "job-type": {
    value: "TYPE",
    choices: runnerJobTypeNames,
    summary: "With --job: the type of the job; the file has the plan alone.",
  },
} as const;

const queueName = "schedules";
/** Schedules of one runner do not wait for each other's jobs. */
const jobsAtOnce = 10;

/** The data of a signal that enqueues the job, as its file has it. */
export async function readJobText(
  file: string,
  runner: string,
  jobType: string | undefined,
): Promise<string> {
  const text = requireObject(await readInput(file), `The job in ${file}`);
  if (jobType !== undefined) {
    return withMember(JSON.stringify({ runner_id: runner, type: jobType }), "plan", text);
  }
  const job = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (typeof job["type"] !== "string") {
    throw new UsageError(`The job in ${file} has no type. If the file is a plan, add --job-type.`);
  }
  if (job["runner_id"] === undefined) {
    return withMember(text, "runner_id", JSON.stringify(runner));
  }
  if (job["runner_id"] === runner) return text;
  throw new UsageError(`The job in ${file} names another runner than --runner.`);
}

/** The queue for a runner's scheduled jobs, which is made when it is not there. */
export async function findScheduleQueue(call: Caller, runner: string): Promise<string> {
  const owner = { owner_type: "runner", owner_id: runner };
  const body = { name: queueName, ...owner, max_in_flight: jobsAtOnce };
  try {
    return (await call(createQueueRoute, { body })).body.id;
  } catch (error) {
    if (!(error instanceof SvcError && error.code === "name_taken")) throw error;
  }
  const page = await call(listQueuesRoute, { query: { name: queueName, ...owner, limit: 1 } });
  const [queue] = page.body.items;
  if (queue === undefined) throw new UsageError(`The queue ${queueName} was just deleted.`);
  return queue.id;
}
