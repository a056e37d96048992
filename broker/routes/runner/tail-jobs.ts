import { tailJobsRoute } from "../../../shared/api/poll-jobs.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { toRunnerJob } from "../../jobs/to-runner-job.ts";
import { confirmByPolls } from "../../polls/confirm-by-poll.ts";
import { parkPoll, waitMs } from "../../polls/park-poll.ts";

/** GET /v1/runners/{runner_id}/jobs/tail */
export const tailJobs: RegisterRoutes = (app, broker) => {
  app.handle(tailJobsRoute, async ({ c, orgId, params: { runner_id: runnerId }, query }) => {
    const { group, wait } = query;
    const one = group === undefined || group === "any" || group === "" ? null : group;
    const parkedSince = await permitFor(
      c,
      broker,
    )(() => confirmByPolls(broker, runnerId, [{ group: one }]));
    const answer = await parkPoll(broker, {
      poll: {
        orgId,
        runnerId,
        processId: null,
        pollId: null,
        knownOrders: [],
        groups: one === null ? null : new Map([[one, 1]]),
        parkedSince,
      },
      waitMs: waitMs(wait),
      signal: c.req.raw.signal,
    });
    if (answer.kind === "draining") setHeader(c, "connection", "close");
    return answer.kind === "offer" ? [toRunnerJob(answer.job)] : [];
  });
};
