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
  app.openapi(countJobsRoute, async (c) => {
    const filter = toJobFilter(c.req.valid("query"), c.get("actor"));
    const { orgId } = c.get("actor");
    const { count, countedAt } = await countJobs(broker.db, orgId, filter, mostCounted + 1);
    return c.json(
      {
        count: Math.min(count, mostCounted),
        has_more: count > mostCounted,
        counted_at: countedAt.toISOString(),
      },
      200,
    );
  });
  app.openapi(cancelJobsRoute, async (c) => {
    const { orgId, id } = c.get("actor");
    const { limit, ...asked } = c.req.valid("json");
    const leavesOutInstalls = !mayCancelOfInstalls(c.get("actor"));
    const filter = { ...requireFilter(asked, openStatuses, c.get("actor")), leavesOutInstalls };
    const why = `cancelled by ${id}`;
    const { cancelled, toldToStop, hasMore } = await cancelJobs(broker, orgId, {
      filter,
      limit,
      why,
    });
    tellOutcome(c, { cancelled, told_to_stop: toldToStop });
    return c.json({ cancelled, told_to_stop: toldToStop, has_more: hasMore }, 200);
  });
  app.openapi(rerunJobsRoute, async (c) => {
    const { limit, cursor: before, ...asked } = c.req.valid("json");
    const filter = requireFilter(asked, finalStatuses, c.get("actor"));
    const key = takeIdempotencyKey(c);
    const made = await rerunJobs(broker, { filter, limit, before, actor: c.get("actor"), key });
    const { enqueued, refused, nextBefore } = made;
    tellOutcome(c, { enqueued, refused: refused.length });
    return c.json({ enqueued, refused: [...refused], next_cursor: nextBefore }, 200);
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
