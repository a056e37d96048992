import type { ShownInputs } from "../../shared/api/install-inputs.ts";
import type { Install, InstallEvent } from "../../shared/api/install.ts";
import { formatAge, formatInstant } from "../output/format-age.ts";
import type { View } from "../output/print.ts";

const nameOf = ({ id }: { readonly id: string }): string => id;
/** An older broker tells its id alone. */
const appOf = ({ app_name: name, app_id: id }: Install): string => name || id;
const pairs = (map: Readonly<Record<string, unknown>>): string =>
  Object.entries(map)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");

export const installLine: View<Install> = {
  nameOf,
  columns: {
    ID: nameOf,
    NAME: ({ name }) => name,
    APP: appOf,
    PHASE: ({ lifecycle_phase: { phase } }) => phase,
    RUNNER: ({ runner_status: status }) => status,
    AGE: ({ created_at }) => formatAge(created_at),
  },
};

export const installDetails: View<Install> = {
  nameOf,
  columns: {
    install: nameOf,
    name: ({ name }) => name,
    app: appOf,
    number: ({ install_number: number }) => String(number),
    phase: ({ lifecycle_phase: { phase, since } }) => `${phase} since ${formatInstant(since)}`,
    workflow: ({ lifecycle_phase: { workflow_id: id } }) => id ?? "",
    health: ({ health_checks: checks }) =>
      checks
        .map(({ action, status, at }) => `${status}: ${action}, ${formatInstant(at)}`)
        .join("\n"),
    config: ({ app_config_ref: { applied_config_id: applied, expected_config_id: expected } }) =>
      applied === expected
        ? (applied ?? "none yet")
        : `${applied ?? "none yet"} (the app's active one is ${expected ?? "none"})`,
    runner: ({ runner_id: id, runner_status: status }) => `${id} (${status})`,
    group: ({ runner_group_id: id }) => id,
    approval: ({ install_config: { approval_option: option } }) => option,
    cloud: ({ cloud_platform: platform, aws_account, azure_account, gcp_account }) =>
      platform === "unknown"
        ? ""
        : `${platform} ${pairs(aws_account ?? azure_account ?? gcp_account ?? {})}`,
    account: ({ cloud_platform_metadata: { expected } }) =>
      expected === null ? "" : `${expected} is expected`,
    labels: ({ labels }) => pairs(labels),
    templates: ({ label_templates: templates }) => pairs(templates),
    metadata: ({ metadata }) => pairs(metadata),
    created: ({ created_at }) => formatInstant(created_at),
  },
};

export const inputsDetails: View<ShownInputs> = {
  nameOf,
  columns: {
    version: ({ version }) => String(version),
    values: ({ values }) => pairs(values),
    created: ({ created_at }) => formatInstant(created_at),
    workflow: ({ workflow_id: id }) => id ?? "",
  },
};

export const eventLine: View<InstallEvent> = {
  nameOf,
  columns: {
    WHAT: ({ operation_name: name }) => name,
    STATUS: ({ operation_status: status }) => status,
    WORKFLOW: ({ payload: { workflow_id: id } }) => id,
    AGE: ({ created_at }) => formatAge(created_at),
    WHY: ({ payload: { error = "" } }) => error,
  },
};
