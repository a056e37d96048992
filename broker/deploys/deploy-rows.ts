import {
  type InstallDeploy,
  installDeploys,
  type InstallSandboxRun,
} from "../../shared/api/install-deploys.ts";
import { componentTypeOf } from "../../shared/component-types.ts";
import type { componentDeployTypes, sandboxRunTypes } from "../../shared/deploy-statuses.ts";
import { deployWord, deployWordV2 } from "../../shared/deploy-words.ts";
import { reportsOf, type StoredReport, toReport } from "../policies/report-rows.ts";
import { rowsOf } from "../resources/rows-of.ts";
import { compositeErrorOf } from "../status/composite-error.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { DeployRow } from "../workflows/machine/deploy-rows.ts";

type Always = "status_at" | "created_at";
type Sometimes = "planned_at" | "applied_at" | "started_at" | "finished_at";

/** A deploy or a run as it is read, with what the API shows besides. */
export type ShownDeployRow = Omit<DeployRow, Always | Sometimes> & {
  readonly [Name in Always]: Date;
} & { readonly [Name in Sometimes]: Date | null } & {
  readonly org_id: string;
  readonly nth: number;
  readonly log_stream_id: string | null;
  readonly policy_reports: readonly StoredReport[];
};

/** Deploys of components. */
export const deployRows = rowsOf<typeof installDeploys, ShownDeployRow>(installDeploys, {
  from: ["install_deploys d", "d"],
  live: "d.component_id is not null",
  besides: {},
  whole: {
    columns: `d.*, log_stream_of(coalesce(d.apply_job_id, d.plan_job_id)) as log_stream_id, ${reportsOf("d")} as policy_reports,
       (select count(*)::int from component_configs n
         where n.component_id = d.component_id
           and n.id <= (select b.component_config_id from component_builds b where b.org_id = d.org_id and b.id = d.build_id)) as nth`,
    toItem: toDeploy,
  },
});

function toDeploy(row: ShownDeployRow): InstallDeploy {
  const type = row.type as (typeof componentDeployTypes)[number]; // of a component
  return {
    ...ofEach(row, "install_deploys"),
    install_component_id: row.target_id,
    component_id: row.component_id ?? "",
    component_name: row.component_name,
    component_type: componentTypeOf(row.component_type),
    component_config_version: row.nth,
    install_deploy_type: type === "recover" ? "apply" : type,
    is_recovery: type === "recover",
  };
}

/** A run of a sandbox as the API shows it. */
export function toSandboxRun(row: ShownDeployRow): InstallSandboxRun {
  return {
    ...ofEach(row, "install_sandbox_runs"),
    install_sandbox_id: row.target_id,
    run_type: row.type as (typeof sandboxRunTypes)[number], // of a sandbox
  };
}

function ofEach(row: ShownDeployRow, type: "install_deploys" | "install_sandbox_runs") {
  const { status, status_description: description } = row;
  const { digest, repository = "", tag = "", media_type = "" } = row.artifact;
  return {
    id: row.id,
    org_id: row.org_id,
    install_id: row.install_id,
    status: deployWord(status, row.type),
    status_description: description,
    status_v2: toCompositeStatus({ status: deployWordV2(status), description, at: row.status_at }),
    ...compositeErrorOf(row.composite_error, { type, id: row.id }),
    plan_only: row.plan_only,
    role: row.role,
    app_config_id: row.app_config_id ?? "",
    build_id: row.build_id ?? "",
    ...(digest !== undefined && { oci_artifact: { repository, tag, digest, media_type } }),
    changes: row.changes,
    policy_reports: row.policy_reports.map(toReport),
    workflow_id: row.workflow_id,
    install_workflow_id: row.workflow_id,
    workflow_step_id: row.workflow_step_id,
    plan_job_id: row.plan_job_id,
    apply_job_id: row.apply_job_id,
    log_stream_id: row.log_stream_id,
    planned_at: textOf(row.planned_at),
    applied_at: textOf(row.applied_at),
    started_at: textOf(row.started_at),
    finished_at: textOf(row.finished_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.status_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

const textOf = (at: Date | null): string | null => at?.toISOString() ?? null;
