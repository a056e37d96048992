import type { Org } from "../../shared/api/orgs.ts";
import type { OrgRow } from "./row.ts";

/** An org as the API shows it. */
export function toOrg(row: OrgRow): Org {
  return {
    id: row.id,
    name: row.name,
    created_at: row.created_at.toISOString(),
    created_by_id: row.created_by_id,
    updated_at: row.updated_at.toISOString(),
  };
}
