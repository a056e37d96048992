import type { Org } from "../../../shared/api/orgs.ts";
import type { Retained } from "../../../shared/retention.ts";

/** What an org keeps, in words. */
export const kindWords: Readonly<Record<Retained, string>> = {
  jobs: "Jobs, signals and what they left",
  logs: "Logs",
  heart_beats: "Heartbeats",
  health_checks: "Health checks",
  audit: "Audit log",
};

/** For how many days a kind is kept, and who says so. The shorter time counts: a broker may have been set to fewer days since. */
export function keptDays(org: Org, kind: Retained): { readonly days: number; readonly by: string } {
  const own = org.retention_days[kind];
  const limit = org.retention_limit_days[kind];
  return own !== null && own <= limit
    ? { days: own, by: "the organisation" }
    : { days: limit, by: "the broker" };
}
