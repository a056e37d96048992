import type { Db } from "../../../broker/database/connect.ts";
import { newId } from "../../../broker/database/new-id.ts";

type Of = { readonly orgId: string; readonly installId: string; readonly configId: string };
type Made = {
  /** Of the sandbox without one. */
  readonly component?: string;
  readonly type?: string;
  readonly status?: string;
  readonly buildId?: string;
  /** It is what is there now. */
  readonly isDeployed?: boolean;
  readonly outputsJobId?: string;
  /** Its look found a drift. */
  readonly hasDrift?: boolean;
};

const fault = {
  code: "job_failed",
  severity: "error",
  title: "The job did not finish",
  detail: "The provider refused it.",
  retryable: true,
};

/** Has a row for each component of the config in the install. */
export async function givenTargets(db: Db, { orgId, installId, configId }: Of): Promise<void> {
  await db`select keep_install_components(${orgId}, ${installId}, ${configId})`;
}

/** The same of the sandbox, also where the config has none. */
async function givenSandboxTarget(db: Db, { orgId, installId }: Of): Promise<void> {
  await db`
    insert into install_components (id, org_id, install_id, name, workspace_id, chart_id, status_at, created_at, updated_at)
    values (${newId("sbx")}, ${orgId}, ${installId}, '', ${newId("tfw")}, ${newId("hch")}, svc_now(), svc_now(), svc_now())
        on conflict do nothing`;
}

/** A deploy of a component, or a run of the sandbox, as if a workflow had made it. */
export async function givenDeploy(
  db: Db,
  of: Of,
  {
    component,
    type = component === undefined ? "provision" : "apply",
    status = "active",
    buildId,
    isDeployed = status === "active",
    outputsJobId,
    hasDrift = false,
  }: Made,
): Promise<{ readonly id: string; readonly targetId: string }> {
  const { orgId, installId, configId } = of;
  await givenTargets(db, of);
  if (component === undefined) await givenSandboxTarget(db, of);
  const id = newId(component === undefined ? "sbr" : "dep");
  const workflowId = newId("wfl");
  const [row] = await db<{ target: string }[]>`
    with made as (
      insert into install_deploys (id, org_id, install_id, target_id, component_id, component_name, component_type, type, app_config_id, build_id,
                                   workflow_id, outputs_job_id, status, status_at, composite_error, changes,
                                   artifact, planned_at, applied_at, created_at, created_by_id)
      select ${id}, h.org_id, h.install_id, h.id, h.component_id, h.name, coalesce(c.type, 'terraform'), ${type}, ${configId}, ${buildId ?? null},
             ${workflowId}, ${outputsJobId ?? null}, ${status}, svc_now(),
             ${status === "error" ? db.json(fault) : null}, '{"added": 2, "changed": 1, "replaced": 0, "removed": 0}',
             '{"repository": "shop", "tag": "1", "digest": "sha256:abc", "media_type": "x"}', svc_now(), svc_now(), svc_now(), 'acc_1'
        from install_components h
        left join component_configs c on c.app_config_id = ${configId} and c.component_id = h.component_id
       where h.org_id = ${orgId} and h.install_id = ${installId} and h.name = ${component ?? ""}
      returning target_id, status)
    update install_components h
       set latest_id = ${id}, status = made.status, status_at = svc_now(),
           deployed_id = case when ${isDeployed} then ${id} else h.deployed_id end,
           drift = case when ${hasDrift} then jsonb_build_object('added', 1, 'changed', 2, 'removed', 0, 'replaced', 0,
                                                                 'workflow_id', ${workflowId}::text, 'deploy_id', ${id}::text, 'at', svc_now()) end
      from made where h.org_id = ${orgId} and h.id = made.target_id
    returning h.id as target`;
  if (row === undefined) throw new Error(`the install has no component ${component ?? "sandbox"}`);
  return { id, targetId: row.target };
}
