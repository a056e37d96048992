import { createHash } from "node:crypto";
import { newId } from "../database/new-id.ts";
import type { OrgId } from "../orgs/org-id.ts";
import type { Seals } from "../seals/seals.ts";
import type { StagedUploads } from "../seals/staged-uploads.ts";
import { jobKind, jobTimeouts, type NewJob } from "./new-job.ts";
import { sealPlan } from "./sealed-plan.ts";

/** Whose jobs these are, and who asks for them. */
export type EnqueueFor = {
  readonly orgId: OrgId;
  readonly actorId: string;
  readonly runnerId: string;
  /** The signal that is in flight until the job ends. */
  readonly signalId?: string | undefined;
  /** `request` must be equal for a request to count as a repetition. */
  readonly idempotency?: { readonly key: string; readonly request: string } | undefined;
};

/** A new job as `new_job` of the database takes it. */
export type JobDraft = ReturnType<typeof draftJob>;

/** The row of a job that was validated: every clock set, its plan sealed. */
export function draftJob(
  enqueue: EnqueueFor,
  job: NewJob,
  {
    request,
    id = newId("job"),
    seals,
    ahead,
  }: {
    readonly request: number;
    readonly id?: string;
    readonly seals: Seals;
    readonly ahead: StagedUploads;
  },
) {
  const kind = jobKind(job);
  const timeouts = jobTimeouts(job);
  return {
    request,
    id,
    org_id: enqueue.orgId as string,
    runner_id: enqueue.runnerId,
    job_group: kind.group,
    type: job.type,
    operation: job.operation,
    owner_id: job.ownerId ?? "",
    owner_type: job.ownerType ?? "",
    metadata: job.metadata ?? {},
    queue_timeout: timeouts.queueTimeout,
    available_timeout: timeouts.availableTimeout,
    execution_timeout: timeouts.executionTimeout,
    overall_timeout: timeouts.overallTimeout,
    max_executions: timeouts.maxExecutions,
    stop_grace: kind.stopGrace,
    changes_things: kind.changes,
    rerun_of: job.rerunOf ?? null,
    log_stream_id: null,
    created_by_id: enqueue.actorId,
    ...sealPlan(seals, ahead, { orgId: enqueue.orgId, id, plan: job.plan }),
    plan_names: job.planNames,
    idempotency_key: enqueue.idempotency?.key,
    fingerprint: enqueue.idempotency && fingerprint(enqueue.idempotency.request),
    signal_id: enqueue.signalId,
  };
}

function fingerprint(request: string): string {
  return createHash("sha256").update(request).digest("hex");
}
