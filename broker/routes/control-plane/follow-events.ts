import type { z } from "zod";
import { followWorkflowEventsRoute } from "../../../shared/api/follow-workflow-events.ts";
import { type Pointer, problem } from "../../../shared/problem.ts";
import { allEvents, interestsSchema } from "../../../shared/webhooks/interests.ts";
import { matchSchema } from "../../../shared/webhooks/match.ts";
import { followEvents as followOrg } from "../../events/follow-events.ts";
import { setHeader } from "../../http/answer/set-header.ts";
import type { RegisterRoutes } from "../../http/app-types.ts";
import { permitFor } from "../../http/gate/with-permit.ts";
import { limitConcurrency } from "../../http/limits/limit-concurrency.ts";
import { waitMs } from "../../polls/park-poll.ts";

/** GET /v1/workflow-events */
export const followEvents: RegisterRoutes = (app, broker) => {
  app.openapi(followWorkflowEventsRoute, async (c) => {
    const { wait, limit, interests, match } = c.req.valid("query");
    const wanted = {
      interests: readJson("?interests", interestsSchema, interests) ?? allEvents,
      match: readJson("?match", matchSchema, match) ?? null,
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

/** A parameter that is JSON of a schema; 422 by its name where it is not. */
function readJson<Schema extends z.ZodType>(
  pointer: Pointer,
  schema: Schema,
  text: string | undefined,
): z.output<Schema> | undefined {
  if (text === undefined) return undefined;
  const read = schema.safeParse(parsed(pointer, text));
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${issue.path.join(".")}: `;
  const detail = `${where}${issue?.message ?? "It does not fit."}`;
  throw problem.invalid([{ pointer, code: "invalid_value", detail }]);
}

function parsed(pointer: Pointer, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw problem.invalid([{ pointer, code: "invalid_value", detail: "It must be JSON." }]);
  }
}
