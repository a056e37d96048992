import type { AuditMode } from "./audit.ts";
import type { RouteRule } from "./route-rule.ts";

/**
 * How a route's requests are audited: as its rule says, else by who calls it. Operators and control planes are audited when they
 * change something. What runners do is told by their jobs and processes; but who reads or changes Terraform's states or
 * Helm's records by the routes of runners, and is no runner, is audited.
 */
export function auditModeOf(method: string, { audit, surface, permission }: RouteRule): AuditMode {
  if (audit !== undefined) return audit;
  const isRead = method.toUpperCase() === "GET";
  if (surface === "open") return "none";
  if (surface !== "runner") return isRead ? "none" : "act";
  if (permission !== "state.write") return "none";
  return isRead ? "secrets" : "act";
}
