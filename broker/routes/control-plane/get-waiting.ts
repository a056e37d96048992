import { getWaitingRoute } from "../../../shared/api/read-runner-jobs.ts";
import type { Door } from "../../http/app-types.ts";
import { requireJob } from "../../jobs/read-job.ts";
import { whyWaiting } from "../../jobs/why-waiting.ts";

/** GET /v1/runner-jobs/{job_id}/why */
export const getWaiting: Door = (app, broker) => {
  app.openapi(getWaitingRoute, async (c) => {
    const { orgId } = c.get("actor");
    const { id, status } = await requireJob(broker.db, orgId, c.req.valid("param").job_id);
    const waiting = await whyWaiting(broker.db, orgId, id);
    const said = waiting ?? { reasons: [], position: null };
    return c.json({ runner_job_id: id, status, ...said }, 200);
  });
};
