import { z } from "@hono/zod-openapi";
import { auditOutcomes } from "../audit.ts";
import { createRoute } from "./create-route.ts";
import { instantInput } from "./instant.ts";
import { pageOf, cursorQuery } from "./page.ts";
import { json } from "./response.ts";

export const auditEventSchema = z
  .object({
    id: z.string(),
    org_id: z.string(),
    at: z.iso.datetime().describe("When it was recorded: the order of lists and exports."),
    started_at: z.iso
      .datetime()
      .describe("When the request came; of a count, when the first one came."),
    action: z
      .string()
      .describe("The route's `operationId`; `several` counts refusals that have no event each."),
    permission: z.string().nullable().describe("What the route needs."),
    outcome: z
      .enum(auditOutcomes)
      .describe(
        "`unknown`: the broker stopped before it answered; the act may or may not have been done.",
      ),
    status: z.int().nullable().describe("The status of the answer."),
    code: z.string().describe("The problem's `code`, if it was not allowed."),
    count: z
      .int()
      .describe("Number of requests that it stands for; more than 1 if they are counted."),
    actor_id: z.string().describe("The account, else the token, else the execution."),
    actor_name: z.string().describe("The name of the account or the token, as it was then."),
    account_id: z.string().nullable(),
    token_id: z.string().nullable(),
    token_hint: z.string().describe("The token's first and last characters."),
    target_type: z.string(),
    target_id: z.string().nullable(),
    parent_id: z
      .string()
      .nullable()
      .describe("What the target belongs to, if the request names it: a runner, a queue, a job."),
    ip: z.string(),
    user_agent: z.string(),
    request_id: z.string(),
    reason: z.string().describe("The request's `reason` or `note`."),
    changes: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        "What was asked for, where that is kept. Texts that could be secret are replaced by their length.",
      ),
  })
  .openapi("AuditEvent");
export type AuditEventBody = z.infer<typeof auditEventSchema>;

const id = z.string().min(1).max(100).optional();
const word = z
  .string()
  .regex(/^\w{1,64}$/, "Must be one word of letters, digits and _, 64 at most.")
  .optional();

const filters = {
  actor: id.describe("An account, or a token that acts as itself."),
  token: id.describe("The id of a token."),
  action: word.describe("The `operationId` of a route, like `updateQueue`."),
  target_type: word.describe("What was acted on: `runner`, `queue` and so on."),
  target_id: id.describe("An object: what was done to it and to what belongs to it."),
  outcome: z.enum(auditOutcomes).optional().describe("Only those with this outcome."),
  from: instantInput.optional().describe("From this instant on."),
  to: instantInput.optional().describe("Before this instant."),
};

const rule = { surface: "operator", permission: "audit.read" } as const;

export const listAuditEventsRoute = createRoute("listAuditEvents", {
  get: "/v1/audit",
  rule,
  tags: ["Audit"],
  summary: "List the events of the audit log",
  description:
    "The newest first. A page may have fewer items than `limit`, even none, while `next_cursor` says that there are more: filters " +
    "without an index look through a bounded number of events for each page.",
  query: z.object({ ...filters, ...cursorQuery }),
  responses: { 200: json(pageOf(auditEventSchema), "A page of events.") },
});

export const exportAuditEventsRoute = createRoute("exportAuditEvents", {
  get: "/v1/audit/export",
  rule: { ...rule, ownPermit: true },
  tags: ["Audit"],
  summary: "Export the audit log",
  description:
    "NDJSON, the oldest event first, up to ten seconds ago: each event once. Each line has a `cursor`. To continue, send the last one that you have with the same filters: after a lost connection, or the next day.",
  query: z.object({ ...filters, cursor: cursorQuery.cursor }),
  responses: {
    200: {
      description: "One event a line, each with `cursor`.",
      content: { "application/x-ndjson": { schema: z.string() } },
    },
  },
});
