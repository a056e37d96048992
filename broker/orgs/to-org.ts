import type { Org } from "../../shared/api/orgs.ts";
import { orgFeatureNames } from "../../shared/org-features.ts";
import type { Retained } from "../../shared/retention.ts";
import { activeSince } from "../status/active-since.ts";
import type { OrgRow } from "./row.ts";

/** An org as the API shows it, beside the days for which the broker keeps things. */
export function toOrg(row: OrgRow, brokerDays: Readonly<Record<Retained, number>>): Org {
  return {
    id: row.id,
    name: row.name,
    ...activeSince(row.created_at),
    sandbox_mode: row.sandbox_mode,
    tags: row.tags,
    features: featuresOf(row),
    retention_days: {
      jobs: row.retain_jobs_days,
      logs: row.retain_logs_days,
      heart_beats: row.retain_heart_beats_days,
      health_checks: row.retain_health_checks_days,
      audit: row.retain_audit_days,
    },
    retention_limit_days: brokerDays,
    prevent_self_approval: row.prevent_self_approval,
    auto_skip_noops: row.auto_skip_noops,
    version: row.version,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
    updated_at: row.updated_at.toISOString(),
  };
}

/** Which features are on in the org: each is a setting of it. */
export const featuresOf = (row: OrgRow): Record<string, boolean> =>
  Object.fromEntries(orgFeatureNames.map((name) => [name, row[name]]));
