import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";
import { digestOf } from "./given-builder.ts";

const fault = {
  code: "job_failed",
  severity: "error",
  title: "The job did not finish",
  detail: "There is no chart api.",
  retryable: false,
};

type Of = {
  readonly orgId: string;
  readonly appId: string;
  readonly configId: string;
  readonly componentId: string;
};

/** A build of an app's sandbox that has ended, by default well. */
export async function givenSandboxBuild(
  db: Db,
  { orgId, appId, configId }: Omit<Of, "componentId">,
  status: "active" | "error" = "active",
): Promise<string> {
  const id = newId("sbd");
  const artifact = { digest: digestOf("a"), repository: "registry.example.com/shop", tag: id };
  await db`
    insert into component_builds (id, org_id, app_id, app_config_id, component_name, component_type, workflow_id, runner_job_id, status,
                                  status_at, checksum, artifact, composite_error, created_at, started_at, finished_at, created_by_id)
    values (${id}, ${orgId}, ${appId}, ${configId}, 'sandbox', 'terraform_module', ${newId("wfl")}, ${newId("job")}, ${status},
            svc_now(), 'c0', ${db.json(artifact)}, ${status === "active" ? null : db.json(fault)}, svc_now(), svc_now(), svc_now(), 'acc_1')`;
  return id;
}

/** A build of a component that has ended, with its artifact or by a fault. */
export async function givenBuild(
  db: Db,
  { orgId, appId, configId, componentId }: Of,
  status: "active" | "error" = "active",
): Promise<string> {
  const [id, part] = [newId("bld"), newId("ccc")];
  const artifact = {
    digest: digestOf("a"),
    media_type: "application/vnd.oci.image.manifest.v1+json",
    size: 1234,
    repository: "registry.example.com/shop",
    tag: id,
    source_ref: "0".repeat(40),
    source_checksum: digestOf("b"),
    source_image: "ghcr.io/acme/api",
    source_digest: digestOf("c"),
    source_media_type: "application/vnd.oci.image.index.v1+json",
    resolved_tag: "1",
    resolved_at: "2026-01-01T00:00:00.000Z",
  };
  await db`
    insert into component_configs (id, org_id, component_id, app_config_id, name, type, created_at)
    values (${part}, ${orgId}, ${componentId}, ${configId}, 'api', 'helm_chart', svc_now())
        on conflict do nothing`;
  await db`
    insert into component_builds (id, org_id, app_id, component_id, component_config_id, app_config_id, component_name, component_type,
                                  workflow_id, runner_job_id, status, status_at, checksum, artifact, composite_error, created_at, started_at,
                                  finished_at, created_by_id)
    select ${id}, ${orgId}, ${appId}, ${componentId}, x.id, ${configId}, 'api', 'helm_chart', ${newId("wfl")}, ${newId("job")},
           ${status}, svc_now(), 'c0', ${db.json(status === "active" ? artifact : {})},
           ${status === "active" ? null : db.json(fault)}, svc_now(), svc_now(), svc_now(), 'acc_1'
      from component_configs x where x.app_config_id = ${configId} and x.component_id = ${componentId}`;
  return id;
}
