import { type Problem, problem } from "../../shared/problem.ts";
import { makeBatcher } from "../database/batcher.ts";
import type { Db } from "../database/connect.ts";
import type { Limiter } from "../database/limiter.ts";
import type { HotPath } from "../limits/hot-path.ts";
import type { Permits } from "../limits/permits.ts";
import type { ClaimRequest } from "../polls/claim-jobs.ts";
import type { Arrival, HandOff } from "../polls/hand-off.ts";
import { LargeText } from "../seals/large-text.ts";
import type { Seals } from "../seals/seals.ts";
import { StagedUploads } from "../seals/staged-uploads.ts";
import { type Topic, topics, type Wakes } from "../wake/wakes.ts";
import { draftJob, type EnqueueFor, type JobDraft } from "./draft-job.ts";
import { enqueueAndClaim, type EnqueuedRow } from "./enqueue-and-claim.ts";
import type { NewJob } from "./new-job.ts";
import { findJobs } from "./queries.ts";
import { selfApproved } from "./refuse-self-approved.ts";
import type { JobRow } from "./row.ts";

export type Enqueue = EnqueueFor & {
  readonly jobs: readonly NewJob[];
  /** Set when the caller holds no permit: one is taken for statements of its own. */
  readonly takesPermit?: true;
};
export type Enqueued = { readonly rows: readonly JobRow[]; readonly isReplay: boolean };
/** The new jobs or, for a repetition, the ids of the first request's jobs. */
type Outcome =
  | { readonly rows: readonly JobRow[]; readonly isOnOffer: boolean }
  | { readonly replayedIds: readonly string[] };
export type EnqueueSingle = (enqueue: Enqueue) => Promise<Outcome>;

export type EnqueueParts = {
  readonly db: Db;
  readonly seals: Seals;
  readonly largeWrites: Limiter;
  readonly polls: { readonly handOff: HandOff };
};

/** The parts of a broker that enqueueing needs. */
export type EnqueueingBroker = EnqueueParts & {
  readonly wakes: Wakes;
  readonly permits: Permits;
  readonly enqueueSingle: EnqueueSingle;
};

/**
 * Enqueues jobs, all or none. A repetition with the same idempotency key gets the first request's jobs as they are
 * now. Refuses with 404, 409, 422 or, past the depth of a queue, 429.
 */
export async function enqueueJobs(broker: EnqueueingBroker, enqueue: Enqueue): Promise<Enqueued> {
  const { orgId, actorId: token } = enqueue;
  const withPermit = <Result>(act: () => Promise<Result>): Promise<Result> =>
    enqueue.takesPermit === true ? broker.permits.run({ orgId, token }, act) : act();
  const outcome =
    enqueue.jobs.length === 1 && planLength(enqueue) < largePlan
      ? await broker.enqueueSingle(enqueue)
      : await withPermit(() => flushOne(broker, enqueue));
  if ("replayedIds" in outcome) {
    const rows = await withPermit(() => findJobs(broker.db, orgId, outcome.replayedIds));
    // They are read newest first; by id they have the order of the first request.
    return { rows: rows.toReversed(), isReplay: true };
  }
  broker.wakes.notify(changed(enqueue, outcome));
  return { rows: outcome.rows, isReplay: false };
}

/** A plan of this length gets a statement of its own, so that other requests do not wait for it. */
const largePlan = 256 * 1024;
/** About the most bytes of plans in one statement. */
const mostTogether = 1024 * 1024;

function planLength({ jobs }: Enqueue): number {
  const plan = jobs[0]?.plan;
  return plan instanceof LargeText ? Infinity : (plan?.length ?? 0);
}

/** Single jobs that arrive together share a statement; a batch has its own, because it succeeds or fails as a whole. */
export function makeEnqueueSingle({
  hotPath,
  ...parts
}: Omit<EnqueueParts, "db"> & { readonly hotPath: HotPath }): EnqueueSingle {
  const enqueue = (db: Db, enqueues: readonly Enqueue[]) => flush({ ...parts, db }, enqueues);
  return makeBatcher((enqueues: readonly Enqueue[]) => enqueue(hotPath.db, enqueues), {
    max: 200,
    bytesOf: planLength,
    maxBytes: mostTogether,
    separate: hotPath.separate(enqueue),
  });
}

async function flushOne(parts: EnqueueParts, enqueue: Enqueue): Promise<Outcome> {
  const [result] = await flush(parts, [enqueue]);
  if (result === undefined) throw new Error("enqueue_jobs left a request unanswered");
  if (result instanceof Error) throw result;
  return result;
}

async function flush(
  { db, seals, largeWrites, polls }: EnqueueParts,
  enqueues: readonly Enqueue[],
): Promise<(Outcome | Error)[]> {
  const ahead = new StagedUploads();
  const drafts = enqueues.map((enqueue, at) =>
    enqueue.jobs.map((job) => draftJob(enqueue, job, { request: at + 1, seals, ahead })),
  );
  const all = drafts.flat();
  const enqueue = (requests: readonly ClaimRequest[]) =>
    enqueueAndClaim(db, JSON.stringify(all), requests);
  const [first] = enqueues;
  const answers =
    ahead.isEmpty || first === undefined
      ? await polls.handOff(arrivals(all), enqueue)
      : (await ahead.within({ db, largeWrites }, first.orgId, () => enqueue([]))).made;
  const byRequest = Map.groupBy(answers, (row) => row.request);
  return enqueues.map((_, at) => settle(drafts[at] ?? [], byRequest.get(at + 1) ?? []));
}

function arrivals(drafts: readonly JobDraft[]): Arrival[] {
  const counts = new Map<string, Arrival>();
  for (const { org_id: orgId, runner_id: runnerId, job_group: jobGroup } of drafts) {
    const key = `${orgId}/${runnerId}/${jobGroup}`;
    const count = 1 + (counts.get(key)?.count ?? 0);
    counts.set(key, { orgId, runnerId, jobGroup, count });
  }
  return [...counts.values()];
}

/** A repetition's jobs are read by its own request, not in the shared statement. */
function settle(drafts: readonly JobDraft[], answers: readonly EnqueuedRow[]): Outcome | Error {
  const outcome = answers[0]?.outcome;
  if (outcome === "replay") return { replayedIds: answers.map(({ id }) => id) };
  if (outcome !== "enqueued") return refusal(outcome ?? "lost");
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const isOnOffer = answers.some(
    ({ status, isClaimed }) => status === "available" && isClaimed !== true,
  );
  return { rows: drafts.flatMap((one) => toRow(one, byId.get(one.id))), isOnOffer };
}

/** The row as a read would return it now. */
function toRow(job: JobDraft, answer: EnqueuedRow | undefined): JobRow[] {
  if (answer === undefined) return [];
  return [
    Object.assign(job, {
      created_at: answer.created_at,
      status: answer.status as JobRow["status"], // from enqueue_jobs: queued or available
      status_description: "",
      status_at: answer.created_at,
      execution_count: 0,
      execution_id: null,
      process_id: null,
      composite_error: null,
      started_at: null,
      finished_at: null,
      clock: null,
      logs_complete: false,
    }),
  ];
}

const refusals: Record<string, () => Problem> = {
  "no-runner": () => problem.notFound("runner"),
  "runner-disabled": () =>
    problem.conflict("runner_disabled", "This runner is disabled. Enable it to enqueue jobs."),
  "runner-deprovisioned": () =>
    problem.conflict("runner_deprovisioned", "This runner is deprovisioned and accepts no jobs."),
  "self-approval": selfApproved,
  full: () =>
    problem.tooMany("This queue is full: job_group_max_depth is reached.", 5, "queue_full"),
  "key-reused": () =>
    problem.invalid([
      {
        pointer: "header:Idempotency-Key",
        code: "idempotency_key_reused",
        detail: "This idempotency key was already used for a different request. Use a new key.",
      },
    ]),
};

function refusal(outcome: string): Error {
  return refusals[outcome]?.() ?? new Error(`enqueue_jobs answered ${outcome}`);
}

function changed(
  { orgId, runnerId }: Enqueue,
  { isOnOffer }: { readonly isOnOffer: boolean },
): Topic[] {
  return isOnOffer ? [topics.org(orgId), topics.queue(runnerId)] : [topics.org(orgId)];
}
