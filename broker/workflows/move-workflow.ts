import { setImmediate as nextTurn } from "node:timers/promises";
import { problem } from "../../shared/problem.ts";
import type { Broker } from "../broker.ts";
import { endJob } from "../jobs/end-job.ts";
import type { OrgId } from "../orgs/org-id.ts";
import { setRunnerLifecycle } from "../runners/set-runner-lifecycle.ts";
import { topics } from "../wake/wakes.ts";
import { neededByNone } from "./decision-needs.ts";
import type { NeedsToBegin } from "./kinds/kind-environment.ts";
import { laneFull, laneGone } from "./lane-refusals.ts";
import { loadWorkflow, type LoadedWorkflow, type WorkflowParts } from "./load-workflow.ts";
import { childrenToCancel, jobsToCancel } from "./machine/cancel-workflow.ts";
import { isChanged } from "./machine/is-changed.ts";
import type { Machine } from "./machine/step-kind.ts";
import type { RefusedChildren, WorkflowDraft } from "./machine/workflow-draft.ts";
import { NotKnown } from "./not-known.ts";
import { makeSameIds } from "./same-ids.ts";
import { leaveWorkflow, writeWorkflow } from "./write-workflow.ts";

export type MovingBroker = WorkflowParts & Pick<Broker, "wakes" | "authenticator">;

const mostTries = 20;

/**
 * Decides about a workflow as it is, and writes what was decided; decided anew where somebody else moved it meanwhile, or the
 * runner takes no job. What a decision needs is found before it, once, and rendered again only where what it reads has changed.
 * Answers what was decided; 404 when there is no such workflow.
 */
export async function moveWorkflow<Answer>(
  broker: MovingBroker,
  org: OrgId,
  {
    id,
    decide,
    wakes = false,
    needs = neededByNone,
  }: {
    readonly id: string;
    readonly decide: (loaded: LoadedWorkflow) => Answer;
    readonly wakes?: boolean;
    /** By default it begins no step. */
    readonly needs?: NeedsToBegin;
  },
): Promise<Answer> {
  const same = { needs, newIds: makeSameIds() };
  let refusal: Machine["refusal"];
  let refusedChildren: RefusedChildren = {};
  for (let tries = 0; tries < mostTries; tries++) {
    const begin = await loadWorkflow(broker, org, { id, refusal, refusedChildren, ...same });
    if (begin === undefined) throw problem.notFound("workflow");
    const { answer, draft } = await decided(begin, decide);
    await nextTurn(); // a long plan was sealed, and is now written
    const written = isChanged(draft)
      ? await writeWorkflow(broker.db, draft, { wakes })
      : await leaveWorkflow(broker.db, draft);
    if (written.outcome === "written") {
      await follow(broker, org, { draft, isOnOffer: written.is_on_offer });
      return answer;
    }
    if (written.outcome === "lane-full") throw laneFull();
    if (written.outcome === "lane-no-lane") throw laneGone();
    if (written.outcome.startsWith("children-"))
      refusedChildren = { ...refusedChildren, ...refusedOf(written.outcome) };
    else refusal = refusalOf(written.outcome, draft) ?? refusal;
  }
  throw problem.conflict("workflow_busy", "The workflow keeps changing. Try again.");
}

/** The decision, once all that it needs is known: until then it begins anew. */
async function decided<Answer>(
  begin: () => LoadedWorkflow,
  decide: (loaded: LoadedWorkflow) => Answer,
): Promise<{ readonly answer: Answer; readonly draft: WorkflowDraft }> {
  for (;;) {
    const loaded = begin();
    try {
      return { answer: decide(loaded), draft: loaded.draft };
    } catch (error) {
      if (!(error instanceof NotKnown)) throw error;
      await error.find();
    }
  }
}

function refusalOf(outcome: string, { newJobs }: WorkflowDraft): Machine["refusal"] {
  if (outcome === "stale") return undefined;
  if (outcome === "job-full") return { mostJobs: Math.floor(newJobs.length / 2) }; // some may have room
  if (/^job-(?:no-runner|runner-)/.test(outcome)) return "no-runner";
  throw new Error(`write_workflow answered ${outcome}`);
}

const refusedOf = (outcome: string): RefusedChildren =>
  JSON.parse(outcome.slice("children-".length)) as RefusedChildren; // written by begin_children

/** What follows a change outside of its statement; each may be done again. */
async function follow(
  broker: MovingBroker,
  org: OrgId,
  { draft, isOnOffer }: { readonly draft: WorkflowDraft; readonly isOnOffer: boolean },
): Promise<void> {
  const runners = isOnOffer
    ? new Set(draft.newJobs.map(({ runner_id }) => String(runner_id)))
    : new Set<string>();
  broker.wakes.notify([
    topics.org(org),
    topics.workflow(draft.workflow.id),
    ...[...runners].map((id) => topics.queue(id)),
    ...(draft.newEvaluations.length > 0 ? [topics.policies(org)] : []),
  ]);
  const jobs = draft.workflow.is_cancelling ? jobsToCancel(draft) : draft.leftJobs;
  await Promise.all(jobs.map((jobId) => cancelJob(broker, org, jobId)));
  const left = draft.workflow.is_cancelling ? childrenToCancel(draft) : draft.leftChildren;
  if (left.length > 0) await broker.db`select cancel_children(${org}, ${left}::text[])`;
  const { deprovisionRunner: id } = draft.effects;
  if (id !== undefined) {
    const actor = { id: draft.workflow.created_by_id, orgId: org };
    await setRunnerLifecycle(broker, actor, { id, lifecycle: "deprovisioned" });
  }
}

/** Cancels a job of a workflow; one that has ended meanwhile stays as it is. */
export async function cancelJob(
  broker: Pick<Broker, "db" | "wakes">,
  org: OrgId,
  jobId: string,
): Promise<void> {
  try {
    await endJob(broker, org, { jobId, event: "cancel", why: "its workflow was cancelled" });
  } catch (error) {
    if (!isEnded(error)) throw error;
  }
}

const isEnded = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "code" in error && error.code === "job_final";
