import assert from "node:assert/strict";
import type { Db } from "../../../broker/database/connect.ts";
import { executionEnds, executionSteps } from "../../../shared/runner-job-execution.ts";
import {
  canMove,
  isFinal,
  type RunnerJobEvent,
  type RunnerJobStatus,
  runnerJobTransitions,
} from "../../../shared/runner-job.ts";

const slackMs = 5;
const unheardMs = 30_000;
const leastRetryMs = 60_000;

export type ModelClocks = {
  readonly queueMs: number;
  readonly availableMs: number;
  readonly executionMs: number;
  readonly overallMs: number;
  readonly maxExecutions: number;
};
export type ModelExecution = {
  readonly jobId: string;
  readonly executionId: string;
  processId: string;
  readonly claimedAt: number;
  status: string;
  isConfirmed: boolean;
  hasResult: boolean;
  endedBy: "client" | "broker" | null;
};
export type ModelJob = ModelClocks & {
  readonly id: string;
  status: RunnerJobStatus;
  createdAt: number;
  statusAt: number;
  attempts: number;
  execution: ModelExecution | null;
};

/** What a command may cause besides what clocks and free slots do by themselves. */
export type Cause = {
  /** These jobs move so, and no others do for the command's sake. */
  readonly expected?: ReadonlyMap<string, RunnerJobEvent>;
  /** Any job may be claimed, by this process. */
  readonly claimedBy?: string;
};
type EventRow = {
  seq: number;
  runner_job_id: string;
  event: RunnerJobEvent | "enqueue";
  execution_id: string | null;
  at: Date;
};

/** A broker as the contract tells it: the table of moves, the clocks, and what may be reported. */
export class JobModel {
  readonly jobs = new Map<string, ModelJob>();
  readonly executions: ModelExecution[] = [];
  readonly lost = new Set<string>();
  #seen = 0;

  mayRetry(job: ModelJob, at: number): boolean {
    const left = job.createdAt + job.overallMs - at;
    return job.attempts < job.maxExecutions && left >= Math.min(job.executionMs, leastRetryMs);
  }

  /** The answer to a report, and the move that it makes. */
  judge(
    execution: ModelExecution,
    status: string,
    at: number,
  ): { outcome: string; event?: RunnerJobEvent } {
    const rank = (word: string): number => {
      const step = executionSteps.findIndex((one) => one === word);
      return step < 0 ? executionSteps.length : step;
    };
    const isEnd = rank(status) === executionSteps.length;
    if (execution.endedBy !== null) {
      if (status === execution.status) return { outcome: "unchanged" };
      if (execution.endedBy === "broker") return { outcome: "ended" };
      return { outcome: isEnd ? "differs" : "unchanged" };
    }
    if (rank(status) < rank(execution.status)) return { outcome: "backwards" };
    if (status === "finished" && !execution.hasResult) return { outcome: "needs-result" };
    if (!isEnd) return { outcome: "ok" };
    const job = this.jobs.get(execution.jobId);
    const event = executionEnds[status as keyof typeof executionEnds]; // an end, as its rank says
    const retries = event === "expire" && job !== undefined && this.mayRetry(job, at);
    return { outcome: "ok", event: retries ? "retry" : event };
  }

  /** Takes every move since the last look, each of which must be explained; then all statuses must agree. */
  async follow(db: Db, runnerId: string, cause: Cause): Promise<void> {
    const rows = await db<EventRow[]>`
      select seq, runner_job_id, event, execution_id, at from runner_job_events
       where runner_id = ${runnerId} and seq > ${this.#seen} order by tx, seq`;
    const unmet = new Map(cause.expected);
    for (const row of rows) {
      this.#seen = Math.max(this.#seen, row.seq);
      if (unmet.get(row.runner_job_id) === row.event) unmet.delete(row.runner_job_id);
      else if (row.event !== "enqueue") this.#explain(row, cause);
      this.#apply(row, cause);
    }
    assert.deepEqual([...unmet], []);
    await this.#agree(db, runnerId);
  }

  #explain({ runner_job_id: id, event, at }: EventRow, { claimedBy }: Cause): void {
    const job = this.jobs.get(id);
    if (job === undefined || event === "enqueue")
      throw new Error(`${event} of an unknown job ${id}`);
    const t = at.getTime() + slackMs;
    const { execution } = job;
    const isLost = execution !== null && this.lost.has(execution.processId);
    const isExecutionOver = execution !== null && t >= execution.claimedAt + job.executionMs;
    const isUnheard = execution?.isConfirmed === false && t >= execution.claimedAt + unheardMs;
    const reasons: Partial<Record<RunnerJobEvent, boolean>> = {
      release: true, // a free slot or the queue timeout; counted elsewhere
      claim: claimedBy !== undefined,
      withdraw: t >= job.statusAt + job.availableMs,
      return: isUnheard,
      retry: (isExecutionOver || isLost) && this.mayRetry(job, at.getTime() - slackMs),
      expire: isExecutionOver,
      fail: isLost && !execution.hasResult,
      finish: isLost && execution.hasResult,
      cancel: t >= job.createdAt + job.overallMs,
    };
    const isExplained = reasons[event] === true;
    assert.ok(isExplained, `${event} of ${id}, ${job.status}, that nothing explains`);
  }

  #apply(
    { runner_job_id: id, event, execution_id, at }: EventRow,
    { claimedBy, expected }: Cause,
  ): void {
    const job = this.jobs.get(id);
    if (job === undefined) throw new Error(`an event of an unknown job ${id}`);
    job.statusAt = at.getTime();
    if (event === "enqueue") {
      job.createdAt = at.getTime();
      return;
    }
    assert.ok(canMove(event, job.status), `${event} of ${id}, which is ${job.status}`);
    job.status = runnerJobTransitions[event].to;
    if (event === "claim") {
      job.attempts += 1;
      job.execution = {
        jobId: id,
        executionId: execution_id ?? "",
        processId: claimedBy ?? "",
        claimedAt: at.getTime(),
        status: "pending",
        isConfirmed: false,
        hasResult: false,
        endedBy: null,
      };
      this.executions.push(job.execution);
    } else if (job.status !== "available" && job.execution !== null) {
      if (event === "return") job.attempts -= 1;
      job.execution.endedBy ??=
        expected?.get(id) === event && event !== "return" ? "client" : "broker";
      job.execution = null;
    }
  }

  async #agree(db: Db, runnerId: string): Promise<void> {
    const rows = await db<{ id: string; status: string; attempts: number }[]>`
      select j.id, coalesce(l.status, d.status) as status,
             coalesce(l.execution_count, d.execution_count) as attempts
        from runner_jobs j
        left join runner_job_live l on l.id = j.id
        left join runner_job_ends d on d.runner_job_id = j.id
       where j.runner_id = ${runnerId} order by j.id`;
    const jobs = [...this.jobs.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const told = jobs.map(({ id, status, attempts }) => ({ id, status, attempts }));
    assert.deepEqual(
      rows.map((row) => ({ ...row })),
      told,
    );
    await this.#agreeOnExecutions(db, runnerId);
  }

  async #agreeOnExecutions(db: Db, runnerId: string): Promise<void> {
    const rows = await db<{ id: string; status: string; ended_by: string | null }[]>`
      select id, status, ended_by from runner_job_executions where runner_id = ${runnerId}`;
    const stored = new Map(rows.map((row) => [row.id, row]));
    assert.equal(stored.size, this.executions.length);
    for (const execution of this.executions) {
      const row = stored.get(execution.executionId);
      const isOpen = executionSteps.some((step) => step === execution.status);
      // How the broker ends an execution follows from why; that it does so is what counts here.
      if (execution.endedBy === "broker" && isOpen) execution.status = row?.status ?? "";
      assert.deepEqual([row?.status, row?.ended_by], [execution.status, execution.endedBy]);
    }
  }

  /** After the clocks were acted on: nothing stands that one of them should have moved. */
  expectNothingOverdue(now: number): void {
    const overdue = [...this.jobs.values()].filter((job) => {
      if (isFinal(job.status)) return false;
      const { execution } = job;
      const isLate = execution !== null && now > execution.claimedAt + job.executionMs + slackMs;
      return isLate || now > job.createdAt + job.overallMs + slackMs;
    });
    assert.deepEqual(overdue, []);
  }
}
