/** What came of a request that the audit log tells of. `unknown`: the broker stopped before it answered. */
export const auditOutcomes = ["allowed", "refused", "failed", "unknown"] as const;
export type AuditOutcome = (typeof auditOutcomes)[number];

/**
 * How the requests of a route get into the audit log. Those that are refused with 403 or 404 do so on every route.
 * - act: a record before the handler runs, and its end before the answer is sent. Without the first the act is refused.
 * - tally: one record a minute of what a token did to one object, with the number of times: for routes that are called so
 *   often that a record each would cost more than the call.
 * - secrets: an answer is recorded before it is sent, and is not sent without its record.
 * - none: nothing is recorded, but for answers that the handler says show secrets.
 */
export type AuditMode = "act" | "tally" | "secrets" | "none";
