import { followWorkflowEventsRoute } from "../../../shared/api/follow-workflow-events.ts";
import { allEvents, interestsSchema } from "../../../shared/webhooks/interests.ts";
import { matchSchema } from "../../../shared/webhooks/match.ts";
import { followEvents as followOrg } from "../../events/follow-events.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { validateParameter } from "../../http/gate/validate.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { waitMs } from "../../polls/park-poll.ts";

/** GET /v1/workflow-events */
export const followEvents: RegisterRoutes = (app, broker) => {
  app.openapi(followWorkflowEventsRoute, async (c) => {
    const { wait, limit, interests, match } = c.req.valid("query");
    const wanted = {
      interests:
        interests === undefined
          ? allEvents
          : validateParameter("interests", interestsSchema, interests),
      match: match === undefined ? null : validateParameter("match", matchSchema, match),
    };
    const release = limitConcurrency(c, broker, "waits_of_token");
    const { items, nextCursor } = await followOrg(broker, c.get("actor").orgId, {
      cursor: c.req.query("cursor"), // an empty one is not an absent one here
      waitMs: waitMs(wait),
      limit,
      wanted,
      signal: c.req.raw.signal,
      withPermit: permitFor(c, broker),
    }).finally(release);
    if (broker.workflowEvents.draining.aborted) setHeader(c, "connection", "close");
    return c.json({ items, next_cursor: nextCursor }, 200);
  });
};
