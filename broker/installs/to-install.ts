import type { Install } from "../../shared/api/install.ts";
import type { ShownRow } from "./queries.ts";

/** An install as the API shows it. */
export function toInstall(row: ShownRow): Install {
  const { applied_config_id, expected_config_id } = row;
  return {
    id: row.id,
    org_id: row.org_id,
    app_id: row.app_id,
    name: row.name,
    install_number: row.install_number,
    app_config_id: applied_config_id,
    app_config_ref: { expected_config_id, applied_config_id },
    labels: row.labels,
    app_default_labels: row.app_default_labels,
    metadata: row.metadata,
    install_config: { approval_option: row.approval_option },
    lifecycle_phase: {
      phase: row.lifecycle_phase,
      since: row.phase_at.toISOString(),
      workflow_id: row.phase_workflow_id,
    },
    ...healthOf(row),
    cloud_platform: row.cloud_platform,
    ...(row.cloud_platform !== "unknown" && {
      [`${row.cloud_platform}_account`]: row.cloud_account,
    }),
    sandbox_mode: row.sandbox_mode,
    runner_id: row.runner_id,
    runner_group_id: row.runner_group_id,
    runner_status: row.runner_status,
    runner_status_description: row.runner_status_description,
    queues: [...row.queues],
    created_by_id: row.created_by_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function healthOf({
  health,
}: ShownRow): Pick<
  Install,
  "composite_health_status" | "composite_health_status_description" | "health_checks"
> {
  const checks = Object.entries(health)
    .map(([action, { at, ...verdict }]) => ({ action, ...verdict, at: new Date(at).toISOString() }))
    .sort((a, b) => (a.action < b.action ? -1 : 1));
  const failing = checks.filter(({ status }) => status === "degraded");
  return {
    composite_health_status: checks.length === 0 ? "" : failing.length > 0 ? "degraded" : "healthy",
    composite_health_status_description:
      failing.length === 0 ? "" : `Failing: ${failing.map(({ action }) => action).join(", ")}.`,
    health_checks: checks,
  };
}
