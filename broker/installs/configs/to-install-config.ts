import type { InstallConfig } from "../../../shared/api/install-config.ts";
import type { InstallConfigRow } from "./row.ts";

/** A config of an install as the API shows it. */
export function toInstallConfig(row: InstallConfigRow): InstallConfig {
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    approval_option: row.approval_option ?? "prompt",
    component_toggles: row.component_toggles,
    labels: row.labels,
    telemetry_enabled: row.telemetry_enabled,
    created_by_id: row.created_by_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
