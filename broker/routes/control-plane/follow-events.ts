import { followWorkflowEventsRoute } from "../../../shared/api/follow-workflow-events.ts";
import { allEvents, interestsSchema } from "../../../shared/webhooks/interests.ts";
import { matchSchema } from "../../../shared/webhooks/match.ts";
import { followEvents as followOrg } from "../../events/follow-events.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { validateParameter } from "../../http/gate/validate.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { waitMs } from "../../polls/park-poll.ts";

/** GET /v1/workflow-events */
export const followEvents: RegisterRoutes = (app, broker) => {
  app.handle(followWorkflowEventsRoute, async ({ c, orgId, query, withPermit }) => {
    const { wait, limit, interests, match } = query;
    const wanted = {
      interests:
        interests === undefined
          ? allEvents
          : validateParameter("interests", interestsSchema, interests),
      match: match === undefined ? null : validateParameter("match", matchSchema, match),
    };
    const release = limitConcurrency(c, broker, "waits_of_token");
    const { items, nextCursor } = await followOrg(broker, orgId, {
      cursor: c.req.query("cursor"), // an empty one is not an absent one here
      waitMs: waitMs(wait),
      limit,
      wanted,
      signal: c.req.raw.signal,
      withPermit: withPermit,
    }).finally(release);
    if (broker.workflowEvents.draining.aborted) setHeader(c, "connection", "close");
    return { items, next_cursor: nextCursor };
  });
};
