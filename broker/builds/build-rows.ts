import { type ComponentBuild, componentBuilds } from "../../shared/api/builds.ts";
import { sandboxBuilds } from "../../shared/api/sandbox-builds.ts";
import { componentTypeOf } from "../../shared/component-types.ts";
import { reportsOf, type StoredReport, toReport } from "../policies/report-rows.ts";
import { rowsOf } from "../resources/rows-of.ts";
import { compositeErrorOf } from "../status/composite-error.ts";
import { toCompositeStatus } from "../status/composite-status.ts";
import type { BuildRow } from "../workflows/machine/workflow-rows.ts";

/** A build as it is read, with what the API shows besides. */
export type ShownBuildRow = Omit<BuildRow, Instants> & {
  readonly org_id: string;
  readonly nth: number;
  readonly config_folder: boolean;
  readonly log_stream_id: string | null;
  readonly policy_reports: readonly StoredReport[];
  readonly status_at: Date;
  readonly created_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly expires_at: Date | null;
};
type Instants = "status_at" | "created_at" | "started_at" | "finished_at";

/** Whether the config of a row of `component_builds` that is called b has what is built in a folder beside it. */
const isOfConfigFolder = `
  exists (select from app_config_sources s
           where s.org_id = b.org_id and s.app_config_id = b.app_config_id
             and s.component = case when b.component_id is null then '' else b.component_name end) as config_folder`;

/** Builds of components. */
export const buildRows = rowsOf<typeof componentBuilds, ShownBuildRow>(componentBuilds, {
  from: ["component_builds b", "b"],
  live: "b.component_id is not null",
  boundTo: "component_builds",
  besides: {},
  whole: {
    columns: `b.*, ${isOfConfigFolder}, ${reportsOf("b")} as policy_reports, log_stream_of(b.runner_job_id) as log_stream_id,
       (select count(*)::int from component_configs n where n.component_id = b.component_id and n.id <= b.component_config_id) as nth`,
    toItem: toBuild,
  },
});

/** Builds of an app's sandbox. */
export const sandboxBuildRows = rowsOf<typeof sandboxBuilds, ShownBuildRow>(sandboxBuilds, {
  from: ["component_builds b", "b"],
  live: "b.component_id is null",
  indexedBy: "parent",
  besides: {},
  whole: {
    columns: `b.*, ${isOfConfigFolder}, log_stream_of(b.runner_job_id) as log_stream_id`,
    toItem: (row) => ({
      ...ofEach(row, "app_sandbox_builds"),
      app_sandbox_config_id: row.app_config_id,
    }),
  },
});

function toBuild(row: ShownBuildRow): ComponentBuild {
  const { artifact: made } = row;
  return {
    ...ofEach(row, "component_builds"),
    component_id: row.component_id ?? "",
    component_name: row.component_name,
    component_type: componentTypeOf(row.component_type),
    component_config_connection_id: row.component_config_id ?? "",
    component_config_version: row.nth,
    source_image: made.source_image ?? "",
    source_digest: made.source_digest ?? "",
    source_media_type: made.source_media_type ?? "",
    resolved_tag: made.resolved_tag ?? "",
    resolved_at: made.resolved_at || null,
    policy_reports: row.policy_reports.map(toReport),
  };
}

function ofEach(row: ShownBuildRow, type: "component_builds" | "app_sandbox_builds") {
  const { artifact: made, status, status_description: description } = row;
  return {
    id: row.id,
    org_id: row.org_id,
    app_id: row.app_id,
    app_config_id: row.app_config_id,
    status,
    status_description: description,
    status_v2: toCompositeStatus({ status, description, at: row.status_at }),
    ...compositeErrorOf(row.composite_error, { type, id: row.id }),
    git_ref: row.git_ref,
    checksum: row.checksum,
    config_folder: row.config_folder,
    source_ref: made.source_ref ?? "",
    source_checksum: made.source_checksum ?? "",
    no_op: row.no_op,
    ...artifactOf(made),
    workflow_id: row.workflow_id,
    workflow_step_id: row.workflow_step_id,
    build_runner_job_id: row.runner_job_id ?? "",
    log_stream_id: row.log_stream_id,
    started_at: row.started_at?.toISOString() ?? null,
    finished_at: row.finished_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
    updated_at: row.status_at.toISOString(),
    created_by_id: row.created_by_id,
  };
}

function artifactOf(made: BuildRow["artifact"]): Pick<ComponentBuild, "artifact"> {
  const { digest, repository = "", tag = "", media_type = "", size = 0 } = made;
  return digest === undefined ? {} : { artifact: { repository, tag, digest, media_type, size } };
}
