import { setTimeout as sleep } from "node:timers/promises";
import { bePatient } from "../../client/waits/be-patient.ts";
import { getJobRoute, listRunnerJobsRoute } from "../../shared/api/read-runner-jobs.ts";
import type { RunnerJob } from "../../shared/api/runner-job.ts";
import type { ProcessShutdown } from "../../shared/api/runner-process-shutdown.ts";
import { getProcessRoute, type RunnerProcess } from "../../shared/api/runner-process.ts";
import type { Caller, CommandCall } from "../command.ts";
import { endWords } from "../jobs/job-end.ts";
import { type Drain, drainLines, phaseOf } from "./drain-view.ts";

type Order = Pick<ProcessShutdown, "id" | "runner_process_id">;
type Awaited = { readonly orders: readonly ProcessShutdown[]; readonly isOver: boolean };

const lookMs = 1000;
/** Of so many jobs the phase is told; the others are counted. */
const mostJobs = 20;

/**
 * Waits until the ordered processes of a runner are gone, or the time is up. Tells what runs: on a terminal a line for
 * each job, in place; everywhere a line for each that ends, and in a pipe one for each new phase.
 */
export async function awaitDrain(
  { call, screen }: Pick<CommandCall, "call" | "screen">,
  runnerId: string,
  { orders, deadlineMs }: { readonly orders: readonly Order[]; readonly deadlineMs: number },
): Promise<Awaited> {
  let known: ReadonlyMap<string, RunnerJob> = new Map();
  try {
    for (;;) {
      const [processes, running] = await bePatient(
        async () =>
          await Promise.all([readProcesses(call, runnerId, orders), readRunning(call, runnerId)]),
      );
      const drain: Drain = { runnerId, orders: ordersOf(processes, orders), ...running };
      const isOver = drain.orders.every(isEnded);
      await sayEnds([...known.keys()].filter((id) => isOver || !running.ids.has(id)));
      if (screen.status === undefined) sayPhases(running.shown, known);
      known = new Map(running.shown.map((job) => [job.id, job]));
      screen.status?.(drainLines(drain));
      if (isOver || Date.now() >= deadlineMs) return { orders: drain.orders, isOver };
      await sleep(lookMs);
    }
  } finally {
    screen.status?.(undefined);
  }

  /** What runs no more has ended, or went back to its queue. */
  async function sayEnds(ids: readonly string[]): Promise<void> {
    for (const job_id of ids) {
      const { body } = await bePatient(async () => await call(getJobRoute, { params: { job_id } }));
      const hasEnded = body.finished_at !== null;
      screen.say(
        hasEnded ? endWords({ ...body, outputs: {} }, "") : `${job_id} is ${body.status}.`,
      );
    }
  }

  function sayPhases(jobs: readonly RunnerJob[], before: ReadonlyMap<string, RunnerJob>): void {
    for (const job of jobs) {
      const was = before.get(job.id);
      if (was !== undefined && phaseOf(was) === phaseOf(job)) continue;
      screen.say(`${job.id} (${job.type}): ${phaseOf(job)}`);
    }
  }
}

const isEnded = ({ status }: ProcessShutdown): boolean =>
  status !== "requested" && status !== "in-progress";

async function readProcesses(
  call: Caller,
  runnerId: string,
  orders: readonly Order[],
): Promise<RunnerProcess[]> {
  return await Promise.all(
    orders.map(async ({ runner_process_id: process_id }) => {
      const params = { runner_id: runnerId, process_id };
      return (await call(getProcessRoute, { params })).body;
    }),
  );
}

/** As the processes tell them, which keep the last ten. */
function ordersOf(
  processes: readonly RunnerProcess[],
  orders: readonly Order[],
): ProcessShutdown[] {
  const all = processes.flatMap(({ shutdowns }) => shutdowns);
  return orders.flatMap(({ id }) => all.find((one) => one.id === id) ?? []);
}

type Running = Pick<Drain, "shown" | "count"> & { readonly ids: ReadonlySet<string> };

async function readRunning(call: Caller, runnerId: string): Promise<Running> {
  const params = { runner_id: runnerId };
  const query = { status: ["in-progress" as const], cursor: "", limit: "100" };
  const { body } = await call(listRunnerJobsRoute, { params, query });
  const jobs = Array.isArray(body) ? body : body.items; // with a cursor it answers pages
  const shown = await Promise.all(
    jobs
      .slice(0, mostJobs)
      .map(async ({ id }) => (await call(getJobRoute, { params: { job_id: id } })).body),
  );
  const running = shown.filter(({ status }) => status === "in-progress");
  return {
    shown: running,
    count: jobs.length - shown.length + running.length,
    ids: new Set(jobs.map(({ id }) => id).filter((id) => !ended(shown, id))),
  };
}

const ended = (jobs: readonly Pick<RunnerJob, "id" | "status">[], id: string): boolean =>
  jobs.some((job) => job.id === id && job.status !== "in-progress");
