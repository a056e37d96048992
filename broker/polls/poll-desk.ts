import type { Db } from "../database/connect.ts";
import type { ReportExecution } from "../executions/report-executions.ts";
import type { Log } from "../log.ts";
import { topics, type Wakes } from "../wake/wakes.ts";
import { type Claim, claimJobs } from "./claim-jobs.ts";
import { type Dispatcher, makeDispatcher, type Poll, type PollAnswer } from "./dispatcher.ts";
import { offerJobs } from "./offer-jobs.ts";
import { makeOrderDesk, type OrderDesk } from "./order-desk.ts";

export type PollDesk = {
  readonly dispatcher: Dispatcher;
  readonly orders: OrderDesk;
  /** Ends the parked claim of a process, so that it learns of its orders. */
  readonly tellOrders: (processId: string) => void;
  /** Puts jobs back that were claimed for somebody who never got them. */
  readonly giveBack: (claims: readonly Claim[]) => void;
  /** Looks for what a lost wake-up may have hidden; called by the clock, and whenever LISTEN was deaf. */
  readonly scan: () => Promise<void>;
  /** Ends every parked poll now and every later one at once; resolves when what is under way is done. */
  readonly drain: () => Promise<void>;
  readonly isDraining: () => boolean;
};

export type DeskParts = {
  readonly db: Db;
  readonly wakes: Wakes;
  readonly log: Log;
  readonly report: ReportExecution;
};

/** Longer than an offer lasts, so that the next waiter is not asked too soon. */
const offerLapsedMs = 2_050;

/** Where polls wait and are served. */
export function makePollDesk({ db, wakes, log, report }: DeskParts): PollDesk {
  let draining = false;
  const dispatcher = makeDispatcher(
    serve,
    (answer) => answer.kind === "claims" && giveBack(answer.claims),
    (error) => log.error({ err: error }, "parked polls could not be served; looking again soon"),
  );
  wakes.hear("queue:", (topic) => dispatcher.look([topic.slice("queue:".length)]));
  wakes.hear("process:", (topic) => tellOrders(topic.slice("process:".length)));

  async function serve(polls: readonly Poll[]): Promise<Map<Poll, PollAnswer>> {
    const claims = polls.filter(({ processId }) => processId !== null);
    const tails = polls.filter(({ processId }) => processId === null);
    const answers = new Map<Poll, PollAnswer>();
    await Promise.all([serveClaims(claims, answers), serveTails(tails, answers)]);
    return answers;
  }

  async function serveClaims(polls: readonly Poll[], answers: Map<Poll, PollAnswer>): Promise<void> {
    if (polls.length === 0) return;
    const requests = polls.map(({ runnerId, processId, pollId, groups }) => ({
      runnerId,
      processId: processId ?? "",
      pollId,
      groups: groups ?? new Map<string, number>(),
    }));
    const claimed = await claimJobs(db, requests);
    for (const [at, poll] of polls.entries()) {
      const claims = claimed[at] ?? [];
      if (claims.length > 0) answers.set(poll, { kind: "claims", claims });
    }
    const orgs = new Set(claimed.flat().map(({ job }) => topics.org(job.org_id)));
    wakes.tell([...orgs]);
  }

  async function serveTails(polls: readonly Poll[], answers: Map<Poll, PollAnswer>): Promise<void> {
    if (polls.length === 0) return;
    for (const [poll, job] of await offerJobs(db, polls)) answers.set(poll, { kind: "offer", job });
    if (answers.size === 0) return;
    const runnerIds = polls.map(({ runnerId }) => runnerId);
    setTimeout(() => dispatcher.look(runnerIds), offerLapsedMs).unref();
  }

  function giveBack(claims: readonly Claim[]): void {
    for (const { job, execution } of claims) {
      const { org_id: orgId, runner_id: runnerId } = job;
      report({ orgId, runnerId, executionId: execution.id, giveBack: true }).catch((error: unknown) => {
        // Never confirmed, it comes back by its clock 30 s after the claim.
        log.warn({ err: error, execution_id: execution.id }, "an undelivered job could not be given back");
      });
    }
  }

  function tellOrders(processId: string): void {
    const poll = dispatcher.room.ofProcess(processId);
    if (poll !== undefined && dispatcher.room.leave(poll)) poll.settle({ kind: "orders" });
  }

  async function scan(): Promise<void> {
    if (dispatcher.room.size === 0) return;
    const [runners, processes] = await Promise.all([
      db<{ runner_id: string }[]>`
        select distinct runner_id from runner_job_live where status = 'available' and has_slot`,
      db<{ process_id: string }[]>`
        select process_id from stopping_executions
         where is_ours and process_id is not null and started_at > svc_now() - interval '5 s'
        union
        select runner_process_id from runner_process_shutdowns
         where deadline_at is not null and created_at > svc_now() - interval '5 s'`,
    ]);
    dispatcher.look(runners.map(({ runner_id }) => runner_id));
    for (const { process_id } of processes) tellOrders(process_id);
  }

  async function drain(): Promise<void> {
    draining = true;
    for (const poll of [...dispatcher.room.all()]) {
      if (dispatcher.room.leave(poll)) poll.settle({ kind: "draining" });
    }
    await dispatcher.settled();
  }

  return {
    dispatcher,
    orders: makeOrderDesk(db),
    tellOrders,
    giveBack,
    scan,
    drain,
    isDraining: () => draining,
  };
}
