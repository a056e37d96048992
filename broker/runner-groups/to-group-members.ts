import type { RunnerGroup } from "../../shared/api/runner.ts";
import { toPause } from "../runners/to-pause.ts";
import type { RunnerGroupRow } from "./row.ts";

/** A group as the API shows it, without its settings and runners. */
export function toGroupMembers(row: RunnerGroupRow): Omit<RunnerGroup, "settings" | "runners"> {
  return {
    id: row.id,
    org_id: row.org_id,
    name: row.name,
    owner_id: row.owner_id,
    owner_type: row.owner_type,
    type: row.type,
    platform: row.platform,
    install_id: row.install_id,
    pause: toPause(row),
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}
