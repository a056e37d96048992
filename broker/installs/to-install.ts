import type { InstallConfig } from "../../shared/api/install-config.ts";
import type { Install } from "../../shared/api/install.ts";
import type { DeployStatus, DeployType } from "../../shared/deploy-statuses.ts";
import { deployWord } from "../../shared/deploy-words.ts";
import { expectedIds } from "./cloud-of.ts";
import { installConfigRows } from "./configs/install-config-rows.ts";
import type { InstallRow } from "./install-row.ts";

/** A config as it is read with its install: its instants are texts. */
export type StoredConfig = Omit<InstallConfig, "approval_option"> & {
  readonly approval_option: InstallConfig["approval_option"] | null;
};
/** An install with what the API shows besides its row. */
export type ShownRow = InstallRow & {
  readonly app_name: string;
  readonly expected_config_id: string | null;
  readonly runner_status: string;
  readonly runner_status_description: string;
  readonly config: StoredConfig | null;
  readonly queues: readonly { readonly id: string; readonly name: string }[];
  readonly targets: readonly StoredTarget[];
};
/** What it has of a component; of the sandbox without one. */
type StoredTarget = {
  readonly component_id: string | null;
  readonly status: DeployStatus | "";
  readonly description: string;
  /** Of its newest deploy. */
  readonly type: DeployType;
};

/** An install as the API shows it. */
export function toInstall(row: ShownRow): Install {
  const { applied_config_id, expected_config_id } = row;
  return {
    id: row.id,
    org_id: row.org_id,
    app_id: row.app_id,
    app_name: row.app_name,
    name: row.name,
    install_number: row.install_number,
    app_config_id: applied_config_id,
    app_config_ref: { expected_config_id, applied_config_id },
    labels: row.labels,
    app_default_labels: row.app_default_labels,
    label_templates: row.label_templates,
    metadata: row.metadata,
    install_config: configOf(row),
    lifecycle_phase: {
      phase: row.lifecycle_phase,
      since: row.phase_at.toISOString(),
      workflow_id: row.phase_workflow_id,
    },
    ...healthOf(row),
    ...deployedIn(row),
    cloud_platform: row.cloud_platform,
    ...(row.cloud_platform !== "unknown" && {
      [`${row.cloud_platform}_account`]: row.cloud_account,
    }),
    ...expectedOf(row),
    ...(row.sandbox_mode !== null && { sandbox_mode: { bool: row.sandbox_mode, valid: true } }),
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

function configOf({ config, ...row }: ShownRow): Install["install_config"] {
  // One that an older broker created while this one migrated has none.
  const none = { id: "", install_id: row.id, component_toggles: {}, labels: {} };
  const shown = config ?? { ...row, ...none, telemetry_enabled: null };
  return installConfigRows.toItem({
    ...shown,
    approval_option: shown.approval_option ?? "prompt",
    created_at: new Date(shown.created_at),
    updated_at: new Date(shown.updated_at),
  });
}

function expectedOf({ cloud_platform: platform, expected_account: expected }: ShownRow) {
  const isKnown = platform !== "unknown" && expected !== "";
  return {
    ...(isKnown && { [expectedIds[platform]]: expected }),
    cloud_platform_metadata: {
      expected: isKnown ? expected : null,
      observed: null,
      match: null,
    },
  };
}

const wordOf = ({ status, type }: StoredTarget): string =>
  status === "" ? "" : deployWord(status, type);

function deployedIn({
  targets,
}: ShownRow): Pick<
  Install,
  "sandbox_status" | "sandbox_status_description" | "component_statuses"
> {
  const sandbox = targets.find(({ component_id: id }) => id === null);
  return {
    sandbox_status: sandbox === undefined ? "" : wordOf(sandbox),
    sandbox_status_description: sandbox?.description ?? "",
    component_statuses: Object.fromEntries(
      targets.flatMap((target) =>
        target.component_id === null ? [] : [[target.component_id, wordOf(target)]],
      ),
    ),
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
