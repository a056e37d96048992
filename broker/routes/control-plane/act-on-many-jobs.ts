import {
  cancelJobsRoute,
  countJobsRoute,
  finalStatuses,
  mostCounted,
  openStatuses,
  rerunJobsRoute,
} from "../../../shared/api/bulk-runner-jobs.ts";
import { problem } from "../../../shared/problem.ts";
import type { RunnerJobStatus } from "../../../shared/runner-job.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { tellOutcome } from "../../http/gate/audit-gate.ts";
import { takeIdempotencyKey } from "../../http/gate/idempotency.ts";
import { cancelJobs } from "../../jobs/cancel-jobs.ts";
import { type AskedJobs, type JobFilter, toJobFilter } from "../../jobs/job-filter.ts";
import { countJobs } from "../../jobs/list-jobs.ts";
import { mayCancelOfInstalls } from "../../jobs/require-cancel-rights.ts";
import { rerunJobs } from "../../jobs/rerun-jobs.ts";
import type { Actor } from "../../tokens/actor.ts";

/** GET /v1/runner-jobs/count; POST /v1/runner-jobs/cancel, …/rerun */
export const actOnManyJobs: RegisterRoutes = (app, broker) => {
  app.handle(countJobsRoute, async ({ actor, orgId, query }) => {
    const filter = toJobFilter(query, actor);
    const { count, countedAt } = await countJobs(broker.db, orgId, filter, mostCounted + 1);
    return {
      count: Math.min(count, mostCounted),
      has_more: count > mostCounted,
      counted_at: countedAt.toISOString(),
    };
  });
  app.handle(cancelJobsRoute, async ({ c, actor, body }) => {
    const { orgId, id } = actor;
    const { limit, ...asked } = body;
    const leavesOutInstalls = !mayCancelOfInstalls(actor);
    const filter = { ...requireFilter(asked, openStatuses, actor), leavesOutInstalls };
    const why = `cancelled by ${id}`;
    const { cancelled, toldToStop, hasMore } = await cancelJobs(broker, orgId, {
      filter,
      limit,
      why,
    });
    tellOutcome(c, { cancelled, told_to_stop: toldToStop });
    return { cancelled, told_to_stop: toldToStop, has_more: hasMore };
  });
  app.handle(rerunJobsRoute, async ({ c, actor, body }) => {
    const { limit, cursor: before, ...asked } = body;
    const filter = requireFilter(asked, finalStatuses, actor);
    const key = takeIdempotencyKey(c);
    const made = await rerunJobs(broker, { filter, limit, before, actor, key });
    const { enqueued, refused, nextBefore } = made;
    tellOutcome(c, { enqueued, refused: refused.length });
    return { enqueued, refused: [...refused], next_cursor: nextBefore };
  });
};

type Asked = AskedJobs & { readonly all?: true | undefined };

/** A forgotten filter must not act on every job: that has to be said. */
function requireFilter(
  { all, ...asked }: Asked,
  statuses: readonly RunnerJobStatus[],
  actor: Pick<Actor, "bound">,
): JobFilter & { readonly statuses: readonly RunnerJobStatus[] } {
  const isNarrowed = Object.values(asked).some((value) => value !== undefined);
  if (!isNarrowed && all !== true) {
    const detail =
      'Give a filter, as status or runner_id; or "all": true for every job of the org.';
    throw problem.invalid([{ pointer: "#/all", code: "required", detail }]);
  }
  return { ...toJobFilter(asked, actor), statuses: asked.status ?? statuses };
}
